// A puzzle: the table as it stood before a mistake, and beside it what has fallen so far.
import { el } from "./dom.js";
import { pretty, ranksOf, spoken, suitIcon, SUIT_ORDER, suitWord } from "./cards.js";
import { drawTable, way } from "./table.js";

/** @typedef {import("../protocol").PuzzleView} PuzzleView */

/** Who has played what, suit by suit, and who is void. @param {PuzzleView} puzzle */
function fallen(puzzle) {
  /** @param {number} seat @param {string} suit */
  const cell = (seat, suit) => {
    const isVoid = seat > 0 && puzzle.voids[seat].includes(suit) && "(void)";
    return el("td", { text: [ranksOf(puzzle.played[seat], suit), isVoid].filter(Boolean).join(" ") || "–" });
  };
  return el("table", { class: "counts fallen" },
    el("caption", { text: "Cards that have fallen" }),
    el("thead", {}, el("tr", {}, el("th"), puzzle.names.map((name) => el("th", { scope: "col", text: name })))),
    el("tbody", {}, [...SUIT_ORDER].map((suit) => el("tr", {},
      el("th", { scope: "row", "aria-label": suitWord(suit) }, suitIcon(suit)),
      puzzle.names.map((_, seat) => cell(seat, suit))))));
}

/** @param {PuzzleView} puzzle */
function side(puzzle) {
  /** @param {[number, string][]} pairs */
  const told = (pairs) => pairs.map(([seat, card]) => `${puzzle.names[seat]} ${spoken(card)}`).join(", ");
  const count = puzzle.waiting === 1 ? "One of your mistakes is a puzzle"
    : `${puzzle.waiting} of your mistakes are puzzles`;
  const passed = `You passed ${puzzle.passed.map(pretty).join(" ")} ${way(puzzle.direction, puzzle.names)}`
    + ` and received ${puzzle.received.map(pretty).join(" ")}.`;
  return el("aside", { class: "side puzzle", "aria-label": "The puzzle" },
    el("h2", { text: `Puzzle: ${puzzle.text}` }),
    el("p", { class: "dim", text: `Rules: ${puzzle.rules}. ${count}.` }),
    el("div", { id: "lobby-panel", role: "status" }),
    el("p", { class: "on-table", text: puzzle.trick.length ? `On the table: ${told(puzzle.trick)}.` : "You lead." }),
    puzzle.last.length > 0 && el("p", { text: `Last trick: ${told(puzzle.last)}.` }),
    puzzle.passed.length > 0 && el("p", { text: passed }),
    fallen(puzzle));
}

/**
 * Draw a puzzle. Returns what shows the table once it is answered.
 * @param {HTMLElement} root
 * @param {PuzzleView} puzzle
 * @param {{ answer: (card: string) => void, lobby: () => void }} actions
 */
export function drawPuzzle(root, puzzle, actions) {
  const board = el("div", { class: "board" });
  const plays = puzzle.played.reduce((sum, cards) => sum + cards.length, 0);
  root.replaceChildren(el("div", { class: "game" }, board, side(puzzle)));
  /** @param {Partial<import("./table.js").Drawn>} changes */
  const draw = (changes) => {
    const view = /** @type {import("./table.js").Drawn} */ ({
      ...puzzle, plays, players: puzzle.names.map(() => ""), may_pass: /** @type {string[]} */ ([]), phase: "play",
      to_move: 0, scores: null, commitment: "", practice: false, ...changes,
    });
    drawTable(board, view, { trick: puzzle.trick, winner: null, fresh: false }, new Set(), {
      card: actions.answer, go() {}, promise() {},
      buttons: () => [el("button", { type: "button", text: "Back to the lobby", onclick: actions.lobby })],
    });
  };
  draw({});
  /** @param {string} verdict */
  return (verdict) => draw({ legal: [], to_move: null, phase: "graded", verdict });
}
