// The felt: seats around, the trick in the middle; and the hand below it. For tables, puzzles and replays alike.
import { el } from "../render.js";
import { face, inOrder, spoken } from "../cards.js";
import { called, gain, t, whole } from "../texts.js";

/** @typedef {import("../render.js").Made} Made */
/** @typedef {import("../render.js").Child} Child */
/** @typedef {[number, string][]} Trick */
/**
 * Who sits at a seat, as a plate says it.
 * @typedef {object} Plate
 * @property {string} name
 * @property {string} kind the strength of a bot, or what somebody does
 * @property {number | null} points of this deal
 * @property {number} tricks of this deal
 * @property {number | null} total of the game
 * @property {number} cards in the hand
 * @property {string} [fault]
 * @property {boolean} [active]
 * @property {string} [reaction]
 */

/**
 * Where a seat is, as fractions of the table from its centre: seat 0 below, then clockwise.
 * @param {number} seat
 * @param {number} players
 */
export function place(seat, players) {
  const angle = Math.PI / 2 + (seat * 2 * Math.PI) / players;
  return [Math.cos(angle), Math.sin(angle)];
}

/** The CSS variables that put a node where a seat is. @param {number} seat @param {number} players */
export function placed(seat, players) {
  const [x, y] = place(seat, players);
  return { x: x.toFixed(3), y: y.toFixed(3) };
}

/** One figure of a plate with its word. @param {string} kind @param {string} word @param {Child} value */
const fact = (kind, word, value) =>
  el("span", { class: `fact ${kind}` }, el("small", { text: word }), el("b", {}, value));

/**
 * The plate of a seat: it says what each figure is.
 * @param {Plate} plate
 * @param {number} seat
 * @param {number} players
 */
export function seatPlate(plate, seat, players) {
  const { points, total, fault } = plate,
    name = called(plate.name);
  const label = [
    plate.kind && `${name}, ${plate.kind}`,
    !plate.kind && name,
    points !== null && t("plate.points", { n: points }),
    t("plate.tricks", { n: plate.tricks }),
    total !== null && t("plate.total", { n: whole(total) }),
  ]
    .filter(Boolean)
    .join(", ");
  return el(
    "section",
    {
      key: `seat-${seat}`,
      class: ["seat", plate.active && "active", seat === 0 && "own", seat * 2 === players && "opposite"]
        .filter(Boolean)
        .join(" "),
      "data-seat": seat,
      "aria-label": label,
      vars: placed(seat, players),
    },
    el(
      "div",
      { class: "who" },
      el("span", { class: `avatar s${seat}`, "aria-hidden": "true", text: [...name][0] }),
      el("strong", { text: name }),
      fault && el("span", { class: "fault", role: "img", title: fault, "aria-label": fault, text: "⚠" }),
      plate.kind && el("span", { class: "kind", text: plate.kind }),
    ),
    el(
      "div",
      { class: "facts", "aria-hidden": "true" },
      total !== null && fact("total", t("plate.totalWord"), whole(total)),
      points !== null &&
        fact(`points ${points > 0 ? "bad" : ""}`, t("plate.pointsWord"), points > 0 ? gain(points) : whole(points)),
      fact("tricks", t("plate.tricksWord"), plate.tricks),
    ),
    seat > 0 &&
      el(
        "div",
        { class: "backs", "aria-hidden": "true" },
        Array.from({ length: plate.cards }, (_, index) => el("i", { key: index })),
      ),
    plate.reaction && el("span", { key: "reaction", class: "reaction", role: "status", text: plate.reaction }),
  );
}

/**
 * The trick on the table.
 * @param {Trick} trick
 * @param {number | null} winner
 * @param {string[]} names
 */
export function trickView(trick, winner, names) {
  const cards = trick.map(([seat, card]) =>
    el(
      "li",
      {
        key: card,
        class: `laid ${winner === seat ? "wins" : ""} ${card === "QS" ? "queen" : ""}`,
        "data-laid": card,
        "aria-label": `${called(names[seat])}: ${spoken(card)}`,
        vars: placed(seat, names.length),
      },
      face(card),
    ),
  );
  return el("ol", { key: "trick", class: "trick", "aria-label": t(trick.length ? "trick" : "trick.empty") }, cards);
}

/**
 * A card in the hand, with all that can be said about it now.
 * @typedef {object} HandCard
 * @property {string} card
 * @property {"legal" | "illegal" | ""} state
 * @property {boolean} passing whether cards are chosen to be passed
 * @property {boolean} chosen
 * @property {boolean} received
 * @property {boolean} advised
 */

/**
 * @param {HandCard} one
 * @param {boolean} isFirst
 * @param {(card: string, byKey: boolean) => void} act
 * @param {(card: string) => void} focus
 */
function handCard(one, isFirst, act, focus) {
  const { card, state, passing, chosen, received, advised } = one;
  const may = state === "legal" ? (passing ? "may.pass" : "may.play") : passing ? "mayNot.pass" : "mayNot.play";
  const label = [
    spoken(card),
    received && t("hand.received"),
    state && t(may),
    passing && chosen && t("hand.chosen"),
    advised && t("hand.advised"),
  ]
    .filter(Boolean)
    .join(", ");
  return el(
    "button",
    {
      key: card,
      type: "button",
      "data-card": card,
      tabIndex: isFirst ? 0 : -1,
      class: `card ${state} ${chosen ? "chosen" : ""} ${advised ? "advised" : ""}`,
      "aria-disabled": state === "illegal" ? "true" : null,
      "aria-pressed": passing ? String(chosen) : null,
      onclick: (event) => act(card, event.detail === 0),
      onfocus: () => focus(card),
    },
    face(card),
    el("span", { class: "unseen", text: label }),
    (received || advised) &&
      el("span", {
        class: `mark ${advised ? "coach-mark" : ""}`,
        "aria-hidden": "true",
        text: [advised && "★", received && t("hand.new")].filter(Boolean).join(" "),
      }),
  );
}

/**
 * The hand. One card can be reached by Tab, the others by arrows.
 * @param {HandCard[]} cards
 * @param {string | null} walked the card that was reached last
 * @param {(card: string, byKey: boolean) => void} act
 * @param {(card: string) => void} focus
 */
export function handView(cards, walked, act, focus) {
  const sorted = [...cards].sort((a, b) => inOrder(a.card, b.card));
  const first = sorted.find((one) => one.card === walked) ?? sorted.find((one) => one.state === "legal") ?? sorted[0];
  return el(
    "div",
    {
      key: "hand",
      class: "hand",
      role: "toolbar",
      "aria-label": t("hand"),
      vars: { count: Math.max(cards.length, 1) },
    },
    sorted.map((one) => handCard(one, one === first, act, focus)),
  );
}

/**
 * The status line; a notice takes its place for a while, so that it covers nothing.
 * @param {string} text
 * @param {import("../state.js").Notice | null} notice
 */
export const statusLine = (text, notice) =>
  el(
    "div",
    { key: "status", class: "status" },
    notice
      ? el("p", { key: "notice", id: "toast", class: `notice ${notice.kind}`, role: "alert", text: notice.text })
      : el("p", { key: "text", text }),
  );

/**
 * The felt with what lies on it.
 * @param {number} players
 * @param {string} kind
 * @param {() => void} act
 * @param {Child[]} parts
 */
export const felt = (players, kind, act, ...parts) =>
  el("div", { key: "felt", class: `felt ${kind} players-${players}`, onclick: act }, parts);
