// Card faces: suits as paths, pips in their places, courts as heraldic panels. Names are those of the protocol.
import { svg } from "./render.js";
import { some, t } from "./texts.js";

/** @param {number} x @param {number} y @param {number} r */
const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0z`;
/** @type {Record<string, string>} */
const SUIT_PATHS = {
  H: "M50 92C20 66 5 49 5 31 5 16 16 8 28 8c10 0 18 6 22 16C54 14 62 8 72 8c12 0 23 8 23 23 0 18-15 35-45 61z",
  D: "M50 3Q64 28 88 50 64 72 50 97 36 72 12 50 36 28 50 3z",
  S:
    "M50 4c10 19 42 35 42 58 0 14-10 21-20 21-7 0-13-3-17-9 1 9 4 17 12 22H33c8-5 11-13 12-22-4 6-10 9-17 9-10 0" +
    "-20-7-20-21C8 39 40 23 50 4z",
  C:
    ring(50, 27, 21) +
    ring(26, 58, 21) +
    ring(74, 58, 21) +
    "M38 40h24v24H38zM45 58h10c0 18 3 31 13 38H32c10-7 13-20 13-38z",
};
/** @type {Record<string, string>} */
const SUIT_SYMBOL = { C: "♣", D: "♦", S: "♠", H: "♥" };
export const RANKS = "23456789TJQKA";
/** Black and red take turns, so that neighbours in a hand are easy to tell apart. */
export const SUIT_ORDER = "CDSH";

const L = 33,
  M = 50,
  R = 67;
/** @type {Record<string, number[][]>} */
const PIPS = {
  2: [
    [M, 28],
    [M, 112],
  ],
  3: [
    [M, 28],
    [M, 70],
    [M, 112],
  ],
  4: [
    [L, 28],
    [R, 28],
    [L, 112],
    [R, 112],
  ],
  5: [
    [L, 28],
    [R, 28],
    [M, 70],
    [L, 112],
    [R, 112],
  ],
  6: [
    [L, 28],
    [R, 28],
    [L, 70],
    [R, 70],
    [L, 112],
    [R, 112],
  ],
  7: [
    [L, 28],
    [R, 28],
    [M, 49],
    [L, 70],
    [R, 70],
    [L, 112],
    [R, 112],
  ],
  8: [
    [L, 28],
    [R, 28],
    [M, 49],
    [L, 70],
    [R, 70],
    [M, 91],
    [L, 112],
    [R, 112],
  ],
  9: [
    [L, 26],
    [R, 26],
    [L, 55],
    [R, 55],
    [M, 70],
    [L, 85],
    [R, 85],
    [L, 114],
    [R, 114],
  ],
  T: [
    [L, 26],
    [R, 26],
    [M, 40],
    [L, 55],
    [R, 55],
    [L, 85],
    [R, 85],
    [M, 100],
    [L, 114],
    [R, 114],
  ],
};
/**
 * What each court has on its head, and its hair; the upper half of the panel, mirrored below.
 * @type {Record<string, { hair: string, hat: string, gold: string }>}
 */
const COURTS = {
  K: {
    hair: "M39 33h22v14q0 12-11 14-11-2-11-14z",
    hat: "M39 33h22v-4H39z",
    gold: "M38 29l-2-13 8 6 6-9 6 9 8-6-2 13z",
  },
  Q: {
    hair: "M50 26q14 0 14 16 0 10 3 16H33q3-6 3-16 0-16 14-16z",
    hat: "M50 14a3 3 0 1 1 0 6 3 3 0 1 1 0-6z",
    gold: "M40 30l-3-10 7 5 6-8 6 8 7-5-3 10z",
  },
  J: {
    hair: "M39 30h22q3 12 1 22H38q-2-10 1-22z",
    hat: "M37 32q-3-13 13-13 15 0 14 11l-3 2z",
    gold: "M61 29q9-5 7-16-8 4-11 13z",
  },
};

/** "QS" as "Q♠". @param {string} name */
export const pretty = (name) => (name[0] === "T" ? "10" : name[0]) + SUIT_SYMBOL[name[1]];
/** "QS" as "queen of spades". @param {string} name */
export const spoken = (name) =>
  t("card.spoken", { rank: some(`rank.${name[0]}`), suit: some(`suit.${name[1]}`), suitOf: some(`suitOf.${name[1]}`) });
/** A text with its cards as people say them: "K♠ 9♥" is "king of spades, nine of hearts". @param {string} text */
export const aloud = (text) =>
  text
    .replace(/(?<=[♣♦♠♥]) (?=(?:10|[2-9TJQKA])[♣♦♠♥])/g, ", ")
    .replace(/\b(10|[2-9TJQKA])([♣♦♠♥])/g, (_, rank, suit) =>
      spoken(`${rank === "10" ? "T" : rank}${"CDSH"["♣♦♠♥".indexOf(suit)]}`),
    );
/** "S" as "spades". @param {string} suit */
export const suitWord = (suit) => some(`suit.${suit}`);
/** A hand that somebody has typed, with names as records have them: "10♥ qs" is "TH QS". @param {string} text */
export const handText = (text) =>
  text
    .toUpperCase()
    .replace(/10/g, "T")
    .replace(/[♣♦♠♥]/g, (sign) => "CDSH"["♣♦♠♥".indexOf(sign)])
    .replace(/[,;]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
/**
 * Tricks that somebody has typed, one per line, as records have them: "1 2: 2♣ 10♣" is "trick 1 2: 2C TC".
 * @param {string} text
 */
export const trickText = (text) =>
  text
    .split("\n")
    .map((line) => line.trim().replace(/^(?:trick\s*)?(\d+)\s*[,:]?\s*(\d)\s*[:,]/i, "trick $1 $2:"))
    .map((line) => line.replace(/^(trick \d+ \d:)(.*)$/, (_, start, cards) => `${start} ${handText(cards)}`))
    .join("\n");
/** Order of cards in a hand: by suit, then by rank. @param {string} a @param {string} b */
export const inOrder = (a, b) =>
  SUIT_ORDER.indexOf(a[1]) - SUIT_ORDER.indexOf(b[1]) || RANKS.indexOf(a[0]) - RANKS.indexOf(b[0]);

/** The cards of a suit without the suit, highest first: "A 10 2". @param {string[]} cards @param {string} suit */
export const ranksOf = (cards, suit) =>
  cards
    .filter((card) => card[1] === suit)
    .sort((a, b) => inOrder(b, a))
    .map((card) => pretty(card).slice(0, -1))
    .join(" ");

/** @param {string} suit @param {number} x @param {number} y @param {number} size */
function suitMark(suit, x, y, size, turned = false) {
  const place = `translate(${x - size / 2} ${y - size / 2}) scale(${size / 100})`;
  return svg("path", { d: SUIT_PATHS[suit], transform: place + (turned ? " rotate(180 50 50)" : "") });
}

/** A suit alone, as a small picture. @param {string} suit */
export function suitIcon(suit) {
  return svg(
    "svg",
    { viewBox: "0 0 100 100", class: `suit-icon suit-${suit}`, "aria-hidden": "true" },
    svg("path", { d: SUIT_PATHS[suit] }),
  );
}

/** @param {string} rank @param {string} suit */
function corner(rank, suit) {
  const text = rank === "T" ? "10" : rank;
  return [svg("text", { x: 13, y: 25, class: rank === "T" ? "index ten" : "index", text }), suitMark(suit, 13, 39, 17)];
}

/** @param {string} rank @param {string} suit */
function middle(rank, suit) {
  if (rank === "A") return [suitMark(suit, M, 70, 52)];
  if (PIPS[rank]) return PIPS[rank].map(([x, y]) => suitMark(suit, x, y, 20, y > 72));
  const half = () => court(rank, suit);
  return [
    svg("rect", { x: 25, y: 14, width: 50, height: 112, rx: 5, class: "panel" }),
    svg("g", {}, half()),
    svg("g", { transform: "rotate(180 50 70)" }, half()),
  ];
}

/**
 * Half of a court card: robe, collar, hair, face, and what is worn on the head.
 * @param {string} rank
 * @param {string} suit
 */
function court(rank, suit) {
  const { hair, hat, gold } = COURTS[rank];
  return [
    svg("path", { d: "M26 70q1-15 15-18h18q14 3 15 18z", class: "robe" }),
    svg("path", { d: "M33 70l4-17h5l-3 17zM67 70l-4-17h-5l3 17z", class: "gold" }),
    svg("path", { d: "M43 51h14l-7 12z", class: "linen" }),
    svg("path", { d: hair, class: "hair" }),
    svg("path", { d: "M42 33h16v8q0 10-8 11-8-1-8-11z", class: "skin" }),
    svg("path", { d: "M45.2 39.5h2M52.8 39.5h2M48 46.5h4", class: "ink" }),
    svg("path", { d: hat, class: "robe" }),
    svg("path", { d: gold, class: "gold" }),
    suitMark(suit, 32.5, 23, 11),
  ];
}

/** Faces that were drawn: they never change. @type {Map<string, import("./render.js").Made>} */
const faces = new Map();

/** A card's face. @param {string} name */
export function face(name) {
  const known = faces.get(name);
  if (known) return known;
  const drawn = drawFace(name);
  faces.set(name, drawn);
  return drawn;
}

/** @param {string} name */
function drawFace(name) {
  const [rank, suit] = name;
  return svg(
    "svg",
    { viewBox: "0 0 100 140", class: `face suit-${suit}`, "aria-hidden": "true", focusable: "false" },
    svg("rect", { x: 1, y: 1, width: 98, height: 138, rx: 9, class: "paper" }),
    middle(rank, suit),
    corner(rank, suit),
    svg("g", { transform: "rotate(180 50 70)" }, corner(rank, suit)),
  );
}

/** A card's back: a lattice with a heart. */
export function back() {
  const lines = [];
  for (let i = -140; i < 240; i += 14) {
    lines.push(svg("path", { d: `M${i} 0l140 140M${i} 140l140-140`, class: "lattice" }));
  }
  return svg(
    "svg",
    { viewBox: "0 0 100 140", class: "face backside", "aria-hidden": "true" },
    svg("rect", { x: 1, y: 1, width: 98, height: 138, rx: 9, class: "paper" }),
    svg(
      "svg",
      { x: 7, y: 7, width: 86, height: 126, viewBox: "7 7 86 126" },
      svg("rect", { x: 7, y: 7, width: 86, height: 126, rx: 5, class: "ground" }),
      lines,
    ),
    svg("circle", { cx: 50, cy: 70, r: 19, class: "seal" }),
    svg("g", { class: "sealed" }, suitMark("H", 50, 71, 22)),
  );
}

/**
 * Small pictures that are no cards: a crown, a moon, a loudspeaker with and without sound.
 * @type {Record<string, string>}
 */
const SIGNS = {
  crown: "M8 30l20 22L50 14l22 38 20-22-9 50H17zM17 84h66v8H17z",
  moon: "M66 92A44 44 0 1 1 66 8a36 36 0 1 0 0 84z",
  loud: "M12 38h16l22-20v64L28 62H12zM64 36q10 14 0 28M76 24q20 26 0 52",
  mute: "M12 38h16l22-20v64L28 62H12zM66 40l22 20M88 40L66 60",
  arrow: "M10 38h44V16l38 34-38 34V62H10z",
  learn: "M50 24C38 14 22 14 8 18v60c14-4 30-4 42 6 12-10 28-10 42-6V18c-14-4-30-4-42 6zM50 24v60",
  daily: "M12 22h76v66H12zM12 42h76M32 10v20M68 10v20",
  friends: "M34 12a15 15 0 1 1 0 30 15 15 0 1 1 0-30zM8 84q0-30 26-30t26 30M68 20a12 12 0 1 1 0 26M72 56q20 2 20 26",
  puzzles: "M14 34h20q-6-18 10-18t10 18h20v20q18-6 18 9t-18 9v20H14z",
  history: "M10 88h80M22 74V52M42 74V30M62 74V42M82 74V16",
  analysis: "M42 10a32 32 0 1 1 0 64 32 32 0 1 1 0-64zM66 66l24 24",
  fair: "M50 8l36 12v26q0 30-36 46-36-16-36-46V20zM34 50l12 12 22-26",
  own: "M10 28h34M62 28h28M53 18v20M10 72h18M46 72h44M37 62v20",
};

/** @param {string} name @param {string} kind */
export const sign = (name, kind) =>
  svg(
    "svg",
    { key: name, viewBox: "0 0 100 100", class: kind, "aria-hidden": "true" },
    svg("path", { d: SIGNS[name] }),
  );
