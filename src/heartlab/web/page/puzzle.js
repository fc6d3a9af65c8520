// A puzzle: the table as it stood before a mistake, and beside it what has fallen so far.
import { el } from "./dom.js";
import { pretty, RANKS, spoken, suitIcon, SUIT_ORDER, suitWord } from "./cards.js";
import { drawTable, way } from "./table.js";

/** Who has played what, suit by suit, and who is void. */
function fallen(puzzle) {
  const cards = (seat, suit) => puzzle.played[seat].filter((card) => card[1] === suit)
    .sort((a, b) => RANKS.indexOf(b[0]) - RANKS.indexOf(a[0])).map((card) => pretty(card).slice(0, -1)).join(" ");
  return el("table", { class: "counts fallen" },
    el("caption", { text: "Cards that have fallen" }),
    el("thead", {}, el("tr", {}, el("th", {}), puzzle.names.map((name) => el("th", { scope: "col", text: name })))),
    el("tbody", {}, [...SUIT_ORDER].map((suit) => el("tr", {},
      el("th", { scope: "row", "aria-label": suitWord(suit) }, suitIcon(suit)),
      puzzle.names.map((_, seat) => el("td", { text: [cards(seat, suit), seat > 0 && puzzle.voids[seat].includes(suit) && "(void)"].filter(Boolean).join(" ") || "–" }))))));
}

const told = (puzzle, pairs) => pairs.map(([seat, card]) => `${puzzle.names[seat]} ${spoken(card)}`).join(", ");

/** Draw a puzzle. `actions`: answer with a card, and back to the lobby. Gives back what shows the table once it is answered. */
export function drawPuzzle(root, puzzle, actions) {
  const board = el("div", { class: "board" });
  const plays = puzzle.played.reduce((sum, cards) => sum + cards.length, 0);
  const view = { ...puzzle, plays, players: puzzle.names.map(() => ""), may_pass: [], phase: "play", to_move: 0, scores: null, commitment: "", practice: false };
  root.replaceChildren(el("div", { class: "game" }, board, el("aside", { class: "side puzzle", "aria-label": "The puzzle" },
    el("h2", { text: `Puzzle: ${puzzle.text}` }),
    el("p", { class: "dim", text: `Rules: ${puzzle.rules}. ${puzzle.waiting === 1 ? "One of your mistakes is a puzzle" : `${puzzle.waiting} of your mistakes are puzzles`}.` }),
    el("div", { id: "lobby-panel", role: "status" }),
    el("p", { class: "on-table", text: puzzle.trick.length ? `On the table: ${told(puzzle, puzzle.trick)}.` : "You lead." }),
    puzzle.last.length > 0 && el("p", { text: `Last trick: ${told(puzzle, puzzle.last)}.` }),
    puzzle.passed.length > 0 && el("p", { text: `You passed ${puzzle.passed.map(pretty).join(" ")} ${way(puzzle.direction, puzzle.names)} and received ${puzzle.received.map(pretty).join(" ")}.` }),
    fallen(puzzle))));
  const draw = (shown) => drawTable(board, shown, { trick: puzzle.trick, winner: null, fresh: false }, { chosen: new Set(), hint: null }, {
    card: actions.answer, go() {}, promise() {},
    buttons: () => [el("button", { type: "button", text: "Back to the lobby", onclick: actions.lobby })],
  });
  draw(view);
  return (verdict) => draw({ ...view, legal: [], to_move: null, phase: "graded", verdict });
}
