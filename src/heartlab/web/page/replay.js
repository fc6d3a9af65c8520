// A recorded deal as the moments that a replay steps through.
import { pretty, RANKS } from "./cards.js";
import { t } from "./texts.js";
import { passSteps, wayWord } from "./words.js";

/**
 * A record as JSON, as far as the viewer needs it: docs/records.md.
 * @typedef {object} DealRecord
 * @property {string[]} hands
 * @property {string[]} [gives]
 * @property {string[]} [gets]
 * @property {string} [pass]
 * @property {[number, string][]} [tricks]
 * @property {number[]} [points]
 * @property {string[]} [players]
 * @property {number} [deal]
 */
/**
 * @typedef {object} Moment
 * @property {string[][]} hands
 * @property {[number, string][]} trick
 * @property {number | null} winner
 * @property {number[]} tricks
 * @property {string} note
 */

/** A record as a list of moments: hands, trick, tricks won. @param {DealRecord} record @returns {Moment[]} */
export function moments(record) {
  const n = record.hands.length,
    tricks = Array(n).fill(0);
  const hands = record.hands.map((hand) => hand.split(" ").filter(Boolean));
  /** @type {Moment[]} */
  const list = [];
  /** @param {string} note @param {[number, string][]} trick @param {number | null} winner */
  const add = (note, trick = [], winner = null) =>
    list.push({ hands: hands.map((hand) => [...hand]), trick: [...trick], winner, tricks: [...tricks], note });
  add(t("replay.dealt"));
  if (record.gives) {
    const given = record.gives.map((cards) => cards.split(" "));
    const got = received(record, given);
    for (const seat of hands.keys()) {
      hands[seat] = [...hands[seat].filter((card) => !given[seat].includes(card)), ...got[seat]];
    }
    add(t("replay.passed", { way: wayWord(record.pass ?? "") }));
  }
  for (const [number, [leader, cards]] of (record.tricks ?? []).entries()) {
    /** @type {[number, string][]} */
    const trick = [];
    for (const [index, card] of cards.split(" ").filter(Boolean).entries()) {
      const seat = (leader + index) % n,
        name = shortName(record, seat);
      hands[seat] = hands[seat].filter((one) => one !== card);
      trick.push([seat, card]);
      const winner = trick.length === n ? winnerOf(trick) : null;
      if (winner !== null) tricks[winner] += 1;
      add(t("replay.plays", { n: number + 1, name, card: pretty(card) }), trick, winner);
    }
  }
  return list;
}

/** @param {DealRecord} record @param {number} seat */
export const nameOf = (record, seat) => record.players?.[seat] || t("seat", { n: seat });

/** The name in a sentence, as the coach says it: without the player. @param {DealRecord} record @param {number} seat */
export const shortName = (record, seat) => nameOf(record, seat).replace(/ \(.+\)$/, "");

/** @param {[number, string][]} trick */
export function winnerOf(trick) {
  const led = trick[0][1][1];
  /** @param {[number, string]} play */
  const rank = ([, card]) => (card[1] === led ? RANKS.indexOf(card[0]) : -1);
  return trick.reduce((best, one) => (rank(one) > rank(best) ? one : best))[0];
}

/** What each seat received. @param {DealRecord} record @param {string[][]} given */
function received(record, given) {
  const n = given.length;
  if (record.gets) return record.gets.map((cards) => cards.split(" "));
  if (record.pass === "scatter") {
    return given.map((_, seat) =>
      given.flatMap((cards, from) => (from === seat ? [] : [cards[((seat - from + n) % n) - 1]])),
    );
  }
  const steps = passSteps(record.pass ?? "", n);
  return given.map((_, seat) => given[(((seat - steps) % n) + n) % n]);
}
