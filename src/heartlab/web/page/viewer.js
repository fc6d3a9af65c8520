// Step through finished deals: watched ones, played ones, record files. All hands lie open.
import { el, save, say, setVars } from "./dom.js";
import { face, inOrder, pretty, RANKS, spoken } from "./cards.js";
import { does, laidCard, passSteps, placeAt } from "./table.js";
import { options } from "./options.js";

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
  const n = record.hands.length, tricks = Array(n).fill(0);
  const hands = record.hands.map((hand) => hand.split(" ").filter(Boolean));
  /** @type {Moment[]} */
  const list = [];
  /** @param {string} note @param {[number, string][]} trick @param {number | null} winner */
  const add = (note, trick = [], winner = null) =>
    list.push({ hands: hands.map((hand) => [...hand]), trick: [...trick], winner, tricks: [...tricks], note });
  add("As dealt");
  if (record.gives) {
    const given = record.gives.map((cards) => cards.split(" "));
    const got = received(record, given);
    for (const seat of hands.keys()) {
      hands[seat] = [...hands[seat].filter((card) => !given[seat].includes(card)), ...got[seat]];
    }
    add(`After passing ${record.pass}`);
  }
  for (const [number, [leader, cards]] of (record.tricks ?? []).entries()) {
    /** @type {[number, string][]} */
    const trick = [];
    for (const [index, card] of cards.split(" ").filter(Boolean).entries()) {
      const seat = (leader + index) % n, name = nameOf(record, seat);
      hands[seat] = hands[seat].filter((one) => one !== card);
      trick.push([seat, card]);
      const winner = trick.length === n ? winnerOf(trick) : null;
      if (winner !== null) tricks[winner] += 1;
      add(`Trick ${number + 1}: ${name} ${does("play", name)} ${pretty(card)}`, trick, winner);
    }
  }
  return list;
}

/** @param {DealRecord} record @param {number} seat */
const nameOf = (record, seat) => record.players?.[seat] ?? `Seat ${seat}`;

/** @param {[number, string][]} trick */
function winnerOf(trick) {
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
      given.flatMap((cards, from) => (from === seat ? [] : [cards[((seat - from + n) % n) - 1]])));
  }
  const steps = passSteps(record.pass ?? "", n);
  return given.map((_, seat) => given[(((seat - steps) % n) + n) % n]);
}

export class Viewer {
  /**
   * @param {HTMLElement} root
   * @param {import("../protocol").Deals} deals
   * @param {{ close: () => void, next: (() => void) | null,
   *   part: { title: string, next: (() => void) | null } | null }} actions
   */
  constructor(root, deals, actions) {
    this.root = root;
    this.deals = deals;
    this.actions = actions;
    this.timer = 0;
    this.number = 0;
    this.at = 0;
    this.moments = moments(this.record);
    this.draw();
  }

  get record() { return /** @type {DealRecord} */ (this.deals.records[this.number]); }

  /** @param {number} number */
  open(number) {
    this.number = number;
    this.moments = moments(this.record);
    this.step(0, true);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
  }

  /** @param {number} to */
  step(to, quiet = false) {
    this.at = Math.max(0, Math.min(to, this.moments.length - 1));
    if (this.at === this.moments.length - 1) this.stop();
    if (!quiet) say(this.moments[this.at].note);
    this.draw();
  }

  run() {
    if (this.timer) this.stop();
    else this.timer = setInterval(() => this.step(this.at + 1), Math.max(250, Number(options.pace)));
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "ArrowRight") this.step(this.at + 1);
    else if (event.key === "ArrowLeft") this.step(this.at - 1);
    else if (event.key === "Home") this.step(0);
    else if (event.key === "End") this.step(this.moments.length - 1);
    else return false;
    return true;
  }

  /** @param {Moment} moment @param {number} seat */
  seat(moment, seat) {
    const n = moment.hands.length, name = nameOf(this.record, seat), hand = [...moment.hands[seat]].sort(inOrder);
    const plate = el("section", { class: `open-hand ${seat === 0 ? "own" : ""}`, "aria-label": name },
      el("strong", {}, el("span", { class: `dot s${seat}`, "aria-hidden": "true" }),
        el("span", { class: "name", text: name }), el("small", { text: `${moment.tricks[seat]} tr` })),
      el("ul", {}, hand.map((card) => el("li", { "aria-label": spoken(card) }, face(card)))));
    // row: from the top, for a narrow screen
    setVars(plate, { count: hand.length, row: Math.floor(n / 2) - Math.min(seat, n - seat) });
    return placeAt(plate, seat, n);
  }

  /** @param {boolean} done */
  buttons(done) {
    /** @param {string} text @param {() => void} act @param {Record<string, string>} attributes */
    const button = (text, act, attributes = {}) => el("button", { type: "button", text, onclick: act, ...attributes });
    const { records, proof } = this.deals, { next, part, close } = this.actions;
    const file = `deal-${this.record.deal ?? 0}-proof.json`;
    return el("div", { class: "actions" },
      button("|◀", () => this.step(0), { "aria-label": "To the start" }),
      button("◀", () => this.step(this.at - 1), { "aria-label": "Back" }),
      button(this.timer ? "Pause" : "Play", () => this.run(), { class: "main" }),
      button("▶", () => this.step(this.at + 1), { "aria-label": "Forward" }),
      button("▶|", () => this.step(this.moments.length - 1), { "aria-label": "To the end" }),
      records.length > 1 && el("label", { class: "inline" }, "Deal ",
        el("select", { onchange: (event) => { this.stop(); this.open(Number(event.target.value)); } },
          records.map((_, index) => el("option", { value: index, text: index + 1, selected: index === this.number })))),
      proof && button("Save proof", () => save(file, JSON.stringify(proof, null, 1))),
      next && done && button("Next deal", next, { class: "main" }),
      part?.next && button("Next part of the file", part.next),
      button("Close", close));
  }

  draw() {
    const moment = this.moments[this.at], record = this.record, n = moment.hands.length;
    const done = this.at === this.moments.length - 1;
    const laid = moment.trick.map(([seat, card]) =>
      laidCard(nameOf(record, seat), seat, n, card, moment.winner === seat ? "wins" : ""));
    const felt = el("div", { class: `felt open players-${n}` },
      moment.hands.map((_, seat) => this.seat(moment, seat)), el("ol", { class: "trick" }, laid));
    setVars(felt, { rows: Math.floor(n / 2) });
    const points = record.points?.map((value, seat) => `${nameOf(record, seat)} ${value}`).join(", ");
    const title = [this.deals.title, this.actions.part?.title].filter(Boolean).join(", ");
    this.root.replaceChildren(el("div", { class: "viewer" },
      felt,
      el("p", { class: "status", text: done && points ? `Points: ${points}` : moment.note }),
      el("p", { class: "dim title", text: title }),
      el("input", {
        type: "range", min: 0, max: this.moments.length - 1, value: this.at, "aria-label": "Card",
        oninput: (event) => this.step(Number(event.target.value), true),
      }),
      this.buttons(done)));
  }
}
