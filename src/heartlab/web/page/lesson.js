// The first deal: Hearts in a few positions. Each asks for one thing; what it says is in the catalogue as `learn.NAME`.

/**
 * @typedef {object} Lesson
 * @property {string} name
 * @property {string[]} hand
 * @property {[number, string][]} trick
 * @property {string[]} legal empty if there is nothing to do
 * @property {string[]} right cards that are asked for; to be passed, the one that must be among them
 * @property {number} pass how many cards are to be passed
 * @property {number[]} points of the seats
 */
/** @typedef {{ step: number, picked: string[], verdict: string }} Progress */

/** Where everybody begins. @type {Progress} */
export const BEGINNING = { step: 0, picked: [], verdict: "" };

/** @param {string} text */
const cards = (text) => text.split(" ").filter(Boolean);

/** @param {string} name @param {string} hand @param {Partial<Lesson>} more @returns {Lesson} */
const lesson = (name, hand, more = {}) => ({
  name,
  hand: cards(hand),
  trick: [],
  legal: [],
  right: [],
  pass: 0,
  points: [0, 0, 0, 0],
  ...more,
});

const DEALT = "2C 5C 9C 3D 8D JD KD QS 4H 6H TH KH AH";

/** @type {Lesson[]} */
export const LESSONS = [
  lesson("aim", DEALT),
  lesson("pass", DEALT, { legal: cards(DEALT), right: ["QS"], pass: 3 }),
  lesson("first", "2C 5C 9C 3D 8D JD 4S 7S 4H 6H TH 2H 3S", { legal: ["2C"], right: ["2C"] }),
  lesson("follow", "5C AC 3D 8D 7S 4H 6H TH", { trick: [[3, "KC"]], legal: ["5C", "AC"], right: ["5C"] }),
  lesson("throw", "8C 9S QS 4H 6H", {
    trick: [
      [1, "JD"],
      [2, "4D"],
      [3, "AD"],
    ],
    legal: cards("8C 9S QS 4H 6H"),
    right: ["QS"],
  }),
  lesson("lead", "9S 4H 6H", { legal: ["9S"], right: ["9S"] }),
  lesson("low", "3D KD 4H", { legal: ["3D", "KD"], right: ["3D"], points: [0, 2, 0, 0] }),
  lesson("spades", "4S AS 7D", { trick: [[2, "JS"]], legal: ["4S", "AS"], right: ["4S"] }),
  lesson("moon", "2H KH 5C", {
    trick: [
      [2, "TH"],
      [3, "3H"],
    ],
    legal: ["2H", "KH"],
    right: ["KH"],
    points: [0, 0, 21, 0],
  }),
  lesson("end", "AH KH QH"),
];

/**
 * What a click does: a card is chosen, or right, or allowed but not asked for, or forbidden.
 * @param {Progress} progress
 * @param {string} card
 * @returns {Progress}
 */
export function answered(progress, card) {
  const { pass, legal, right } = LESSONS[progress.step];
  if (!legal.length || progress.verdict === "good") return progress;
  if (!legal.includes(card)) return { ...progress, verdict: "illegal" };
  if (!pass) return { ...progress, picked: [card], verdict: right.includes(card) ? "good" : "bad" };
  const { picked } = progress;
  const now = picked.includes(card) ? picked.filter((one) => one !== card) : [...picked, card].slice(0, pass);
  const verdict = now.length < pass ? "" : now.some((one) => right.includes(one)) ? "good" : "bad";
  return { ...progress, picked: now, verdict };
}
