// Drawings of a state: boards with pieces, piles, and a list of what else holds.
import { el, svg } from "../render.js";
import { t } from "../texts.js";

/** @typedef {{ x: number, y: number, content: string[] }} Cell */
/** @typedef {{ name: string, columns: string[], rows: string[], cells: Cell[] }} Board */
/** @typedef {{ boards: Board[], piles: { name: string, count: number }[], facts: string[] }} Picture */
/** @typedef {{ text: string, to: number[] | null, source: number[] | null }} Move */

const COLOURS = ["white", "black", "red", "yellow", "blue", "green"];
/** @type {Record<string, string>} */
const SHORT = { w: "white", b: "black", r: "red", y: "yellow" };
/** @type {Record<string, string>} */
const SIGNS = { king: "K", queen: "Q", rook: "R", bishop: "B", knight: "N", pawn: "P" };

/**
 * A piece from its words: a cross, a ring, or a disc of a colour with a letter.
 * @param {Cell} cell
 * @param {number} y from above
 */
export function piece({ x, content }, y) {
  const cx = x + 0.5,
    cy = y + 0.5,
    words = content.map((word) => word.toLowerCase());
  if (words.length === 1 && words[0] === "x") {
    const arms = `M${x + 0.25} ${y + 0.25}l.5 .5m0 -.5l-.5 .5`;
    return svg("path", { class: "stroke", stroke: "#c8202f", d: arms });
  }
  if (words.length === 1 && words[0] === "o") {
    return svg("circle", { class: "stroke", stroke: "#2f6fd0", cx, cy, r: 0.27 });
  }
  const colour = words.map((word) => SHORT[word] ?? word).find((word) => COLOURS.includes(word));
  const rest = words.filter((word) => (SHORT[word] ?? word) !== colour);
  const sign = rest.map((word) => SIGNS[word] ?? word.slice(0, 2)).join(" ");
  return svg(
    "g",
    {},
    svg("circle", { class: `disc ${colour ?? "plain-piece"}`, cx, cy, r: 0.38 }),
    sign &&
      svg(
        "text",
        { class: `sign ${colour && !["white", "yellow"].includes(colour) ? "light" : ""}`, x: cx, y: cy + 0.18 },
        sign.slice(0, 3),
      ),
  );
}

/** What a square says to a screen reader. @param {Board} board @param {number} x @param {number} y */
function nameOf(board, x, y) {
  const cell = board.cells.find((one) => one.x === x && one.y === y);
  return `${board.columns[x]} ${board.rows[y]}: ${cell ? cell.content.join(" ") : t("gdl.empty")}`;
}

/** The moves that a click on a square can mean. @param {Move[]} moves @param {number} x @param {number} y */
export const movesTo = (moves, x, y) =>
  moves.filter(({ to }) => to !== null && to[0] === x && (to.length === 1 || to[1] === y));

/** The moves that begin on a square. @param {Move[]} moves @param {number} x @param {number} y */
export const movesFrom = (moves, x, y) => moves.filter(({ source }) => source?.[0] === x && source[1] === y);

/**
 * A board; squares from which or to which a move leads can be chosen.
 * @param {Board} board
 * @param {Move[]} moves
 * @param {number[][]} done places of the last move
 * @param {number[] | null} picked the square from which a move begins
 * @param {(x: number, y: number) => void} pick
 */
export function boardView(board, moves, done, picked, pick) {
  const w = board.columns.length,
    h = board.rows.length,
    squares = [],
    targets = [];
  for (let y = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1) {
      const top = h - 1 - y;
      const marked = done.some((place) => place[0] === x && (place.length === 1 || place[1] === y));
      const own = picked?.[0] === x && picked[1] === y;
      const kind = `${(x + y) % 2 ? "" : "dark"} ${own ? "picked" : marked ? "done" : ""}`;
      squares.push(svg("rect", { class: `square ${kind}`, x, y: top, width: 0.98, height: 0.98 }));
      const here = picked ? movesFrom(moves, picked[0], picked[1]) : moves.filter(({ source }) => !source);
      const leads = movesTo(here, x, y).length > 0,
        begins = movesFrom(moves, x, y).length > 0;
      if (leads) squares.push(svg("circle", { class: "hint", cx: x + 0.5, cy: top + 0.5, r: 0.12 }));
      if (leads || begins) {
        targets.push(
          svg("rect", {
            key: `${x}-${y}`,
            class: "target",
            x,
            y: top,
            width: 1,
            height: 1,
            tabindex: "0",
            role: "button",
            "data-place": `${x},${y}`,
            "data-leads": leads ? "1" : null,
            "aria-label": nameOf(board, x, y),
            onclick: () => pick(x, y),
            onkeydown: (/** @type {KeyboardEvent} */ event) => {
              if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                pick(x, y);
              }
            },
          }),
        );
      }
    }
  }
  return svg(
    "svg",
    { class: "board-svg", viewBox: `-.5 0 ${w + 0.5} ${h + 0.5}`, role: "group", "aria-label": board.name },
    squares,
    board.cells.map((cell) => piece(cell, h - 1 - cell.y)),
    board.rows.map((name, y) => svg("text", { class: "label", x: -0.25, y: h - y - 0.4 }, name)),
    board.columns.map((name, x) => svg("text", { class: "label", x: x + 0.5, y: h + 0.38 }, name)),
    targets,
  );
}

/** Piles of counters. @param {Picture["piles"]} piles */
export const pilesView = (piles) =>
  piles.length > 0 &&
  el(
    "ul",
    { class: "piles" },
    piles.map(({ name, count }) =>
      el(
        "li",
        { key: name, "aria-label": `${name}: ${count}` },
        el("strong", { text: name }),
        Array.from({ length: Math.min(count, 60) }, (_, index) => el("i", { key: index })),
        el("span", { class: "dim", text: count }),
      ),
    ),
  );

/** What else holds. @param {string[]} facts */
export const factsView = (facts) =>
  facts.length > 0 &&
  el(
    "ul",
    { class: "facts" },
    facts.map((fact) => el("li", { key: fact, text: fact })),
  );
