// The analysis board: set up a position or paste a record; it opens as a replay, with the coach beside it.
import { el } from "../render.js";
import { face, RANKS, spoken, SUIT_ORDER } from "../cards.js";
import { cardsOf, HAND, ownerOf } from "../setup.js";
import { t } from "../texts.js";
import { button, field, segments, sheet } from "./parts.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Acts} Acts */

/** How many cards further a key goes: along a suit, or to the next suit. @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: RANKS.length, ArrowUp: -RANKS.length };

/** Walk through the cards with the arrow keys: one of them can be reached by Tab. @param {KeyboardEvent} event */
function walk(event) {
  const step = STEPS[event.key],
    group = /** @type {HTMLElement} */ (event.currentTarget);
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const cards = [.../** @type {NodeListOf<HTMLElement>} */ (group.querySelectorAll(".card"))];
  const now = cards.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  cards[(now + step + cards.length) % cards.length].focus();
}

/** All cards: a click gives one to the seat that is chosen. @param {State} state @param {Acts} acts */
const deck = ({ setup }, acts) =>
  el(
    "div",
    { class: "deck", role: "toolbar", "aria-label": t("analysis.deck"), onkeydown: walk },
    [...SUIT_ORDER].map((suit, row) =>
      el(
        "div",
        { key: suit, class: "deck-suit" },
        [...RANKS].map((rank, column) => {
          const card = rank + suit,
            owner = ownerOf(setup, card);
          const held = owner < 0 ? "" : `, ${t("seat", { n: owner })}`;
          return el(
            "button",
            {
              key: card,
              type: "button",
              class: `card ${owner < 0 ? "" : "held"}`,
              "data-card": card,
              tabIndex: row + column ? -1 : 0,
              onclick: () => acts.pickCard(card),
            },
            face(card),
            el("span", { class: "unseen", text: `${spoken(card)}${held}` }),
            owner >= 0 && el("span", { class: `avatar s${owner}`, "aria-hidden": "true", text: owner }),
          );
        }),
      ),
    ),
  );

/** The analysis board. @param {State} state @param {Acts} acts */
export function analysisView(state, acts) {
  const { seat, hands } = state.setup;
  const counts = hands.map((hand) => cardsOf(hand).length);
  return sheet(
    t("analysis"),
    acts.lobby,
    el("p", { text: t("analysis.text") }),
    el(
      "form",
      { class: "set-up", onsubmit: acts.setUp },
      el(
        "div",
        { class: "wide" },
        segments(
          "seat",
          t("analysis.who"),
          String(seat),
          counts.map((n, index) => [String(index), t("analysis.seat", { seat: index, n, of: HAND })]),
          acts.pickSeat,
        ),
        deck(state, acts),
      ),
      hands.map((hand, index) =>
        el(
          "label",
          { key: index, class: "field" },
          el("span", { text: t("analysis.hand", { n: index }) }),
          el("input", {
            name: "hand",
            autocomplete: "off",
            spellcheck: "false",
            placeholder: "2C 10C QS AH …",
            value: hand,
            oninput: (event) => acts.typeHand(index, event.target.value),
          }),
        ),
      ),
      field(
        t("analysis.tricks"),
        el("textarea", { name: "tricks", rows: 3, spellcheck: "false", placeholder: "trick 1 2: 2C QC 8C AC" }),
      ),
      field(
        t("analysis.record"),
        el("textarea", { name: "record", rows: 4, spellcheck: "false", placeholder: "%hearts 1" }),
      ),
      el(
        "div",
        { class: "actions left" },
        el("button", { type: "submit", class: "main", text: t("analysis.open") }),
        button(t("analysis.random"), acts.randomHands),
        button(t("analysis.empty"), acts.emptyHands, { disabled: counts.every((n) => !n) }),
      ),
    ),
  );
}
