// A puzzle: the table as it stood before a mistake, and beside it what has fallen so far.
import { el } from "../render.js";
import { tens } from "../dom.js";
import { face, pretty, ranksOf, spoken, suitIcon, SUIT_ORDER, suitWord } from "../cards.js";
import { called, decimal, t } from "../texts.js";
import { status, way } from "../words.js";
import { felt, handView, seatPlate, statusLine, trickView } from "./felt.js";
import { button, SCROLL } from "./parts.js";

/** @typedef {import("../../protocol").PuzzleView} PuzzleView */

/** Who has played what, suit by suit, and who is void. @param {PuzzleView} puzzle */
function fallen(puzzle) {
  /** @param {number} seat @param {string} suit */
  const cell = (seat, suit) => {
    const isVoid = seat > 0 && puzzle.voids[seat].includes(suit) && t("puzzle.void");
    return el("td", { text: [ranksOf(puzzle.played[seat], suit), isVoid].filter(Boolean).join(" ") || "–" });
  };
  return el(
    "div",
    SCROLL,
    el(
      "table",
      { class: "counts fallen" },
      el("caption", { text: t("puzzle.fallen") }),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td"),
          puzzle.names.map((name) => el("th", { scope: "col", text: called(name) })),
        ),
      ),
      el(
        "tbody",
        {},
        [...SUIT_ORDER].map((suit) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, suitIcon(suit), el("span", { class: "unseen", text: suitWord(suit) })),
            puzzle.names.map((_, seat) => cell(seat, suit)),
          ),
        ),
      ),
    ),
  );
}

/** @param {import("../../protocol").Graded} graded */
export const verdict = (graded) =>
  graded.right ? t("puzzle.right") : t("puzzle.better", { card: pretty(graded.best) });

/** @param {import("../../protocol").Graded} graded @param {import("../actions.js").Acts} acts */
function judgement(graded, acts) {
  return [
    el("p", { class: graded.right ? "good" : "alarm", text: verdict(graded) }),
    el(
      "div",
      { class: "pair", "aria-hidden": "true" },
      graded.played && el("figure", {}, face(graded.played), el("figcaption", { text: t("puzzle.then") })),
      graded.chosen !== graded.best &&
        el("figure", {}, face(graded.chosen), el("figcaption", { text: t("puzzle.now") })),
      el("figure", {}, face(graded.best), el("figcaption", { text: t("puzzle.best") })),
    ),
    el("p", { text: tens(graded.text) }),
    el("p", {
      text: [...graded.cards]
        .sort(([, a], [, b]) => a - b)
        .map(([card, value]) => `${pretty(card)}\u00a0${decimal(value, 1)}`)
        .join(" · "),
    }),
    el("p", { class: "dim", text: graded.again }),
    button(t("puzzle.next"), acts.puzzle, { class: "main" }),
  ];
}

/**
 * How far a puzzle has come: a step for each time that it was solved in a row, the answer of now included.
 * @param {PuzzleView} puzzle @param {import("../../protocol").Graded | null} graded
 */
function steps(puzzle, graded) {
  const of = puzzle.days.length,
    stage = !graded ? puzzle.stage : graded.right ? Math.min(puzzle.stage + 1, of) : 0;
  const label = t("puzzle.steps", { n: stage, of });
  return el(
    "ol",
    { class: "steps", "aria-label": label, title: label },
    puzzle.days.map((days, index) =>
      el("li", { class: index < stage ? "done" : "", text: t("puzzle.days", { n: days }) }),
    ),
  );
}

/** A puzzle. @param {import("../state.js").State} state @param {import("../actions.js").Acts} acts */
export function puzzleView(state, acts) {
  const { view: puzzle, graded } = /** @type {NonNullable<typeof state.puzzle>} */ (state.puzzle);
  const n = puzzle.names.length,
    legal = graded ? [] : puzzle.legal;
  /** @param {[number, string][]} pairs */
  const told = (pairs) => pairs.map(([seat, card]) => `${called(puzzle.names[seat])} ${spoken(card)}`).join(", ");
  const shown = {
    names: puzzle.names,
    trick: puzzle.trick,
    to_move: graded ? null : 0,
    pass_count: 0,
    direction: puzzle.direction,
    phase: /** @type {"graded" | "play"} */ (graded ? "graded" : "play"),
    verdict: graded ? verdict(graded) : "",
  };
  const plates = puzzle.names.map((name, seat) =>
    seatPlate(
      {
        name,
        kind: "",
        points: puzzle.points[seat],
        tricks: puzzle.tricks_won[seat],
        total: null,
        cards: puzzle.hand_sizes[seat],
        active: !graded && seat === 0,
      },
      seat,
      n,
    ),
  );
  const hand = puzzle.hand.map((card) => ({
    card,
    passing: false,
    chosen: false,
    received: false,
    advised: graded?.best === card,
    state: /** @type {"legal" | "illegal" | ""} */ (legal.length ? (legal.includes(card) ? "legal" : "illegal") : ""),
  }));
  return el(
    "div",
    { key: "puzzle", class: "game" },
    el(
      "div",
      { key: "board", class: "board" },
      felt(
        n,
        "",
        () => {},
        plates,
        trickView(puzzle.trick, null, puzzle.names),
        el(
          "div",
          { class: "markers" },
          puzzle.breaking &&
            el("span", {
              class: `broken ${puzzle.broken ? "yes" : ""}`,
              text: t(puzzle.broken ? "hearts.broken" : "hearts.whole"),
            }),
        ),
      ),
      statusLine(status(shown, null), state.notice),
      el("div", { key: "actions", class: "actions" }, button(t("toLobby"), acts.lobby)),
      handView(hand, state.walked, acts.answer, acts.walkTo),
    ),
    el(
      "aside",
      { key: "side", class: "side puzzle open", "aria-label": t("puzzle.side") },
      el("h2", { text: t("puzzle.title", { text: puzzle.text }) }),
      el("p", { class: "dim", text: t("puzzle.rules", { rules: puzzle.rules, n: puzzle.waiting }) }),
      steps(puzzle, graded),
      el("div", { id: "lobby-panel", role: "status" }, graded && judgement(graded, acts)),
      el("p", {
        class: "on-table",
        text: puzzle.trick.length ? t("puzzle.onTable", { list: told(puzzle.trick) }) : t("puzzle.lead"),
      }),
      puzzle.last.length > 0 && el("p", { text: t("puzzle.last", { list: told(puzzle.last) }) }),
      puzzle.passed.length > 0 &&
        el("p", {
          text: t("puzzle.passed", {
            cards: puzzle.passed.map(pretty).join(" "),
            way: way(puzzle.direction, puzzle.names),
            received: puzzle.received.map(pretty).join(" "),
          }),
        }),
      fallen(puzzle),
    ),
  );
}
