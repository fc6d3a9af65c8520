// Step through finished deals: watched ones, played ones, record files. All hands lie open.
import { el, save, say } from "./dom.js";
import { face, inOrder, pretty, RANKS, spoken } from "./cards.js";
import { does, place } from "./table.js";
import { options } from "./options.js";

/** A record as a list of moments: hands, trick, taken points. */
export function moments(record) {
  const n = record.hands.length;
  const hands = record.hands.map((hand) => hand.split(" ").filter(Boolean));
  const list = [{ hands: hands.map((hand) => [...hand]), trick: [], note: "As dealt", tricks: Array(n).fill(0) }];
  if (record.gives) {
    const given = record.gives.map((cards) => cards.split(" "));
    const got = received(record, given);
    given.forEach((cards, seat) => { hands[seat] = hands[seat].filter((card) => !cards.includes(card)); });
    got.forEach((cards, seat) => hands[seat].push(...cards));
    list.push({ hands: hands.map((hand) => [...hand]), trick: [], note: `After passing ${record.pass}`, tricks: Array(n).fill(0) });
  }
  const tricks = Array(n).fill(0);
  for (const [leader, cards] of record.tricks ?? []) {
    const trick = [];
    cards.split(" ").filter(Boolean).forEach((card, index) => {
      const seat = (leader + index) % n;
      hands[seat] = hands[seat].filter((one) => one !== card);
      trick.push([seat, card]);
      const winner = trick.length === n ? winnerOf(trick) : null;
      if (winner !== null) tricks[winner] += 1;
      list.push({
        hands: hands.map((hand) => [...hand]), trick: [...trick], winner, tricks: [...tricks],
        note: `Trick ${list.filter((one) => one.winner !== undefined && one.winner !== null).length + 1}: ${nameOf(record, seat)} ${does("play", nameOf(record, seat))} ${pretty(card)}`,
      });
    });
  }
  return list;
}

const nameOf = (record, seat) => record.players?.[seat] ?? `Seat ${seat}`;

function winnerOf(trick) {
  const led = trick[0][1][1];
  const rank = ([, card]) => (card[1] === led ? RANKS.indexOf(card[0]) : -1);
  return trick.reduce((best, one) => (rank(one) > rank(best) ? one : best))[0];
}

function received(record, given) {
  const n = given.length;
  if (record.gets) return record.gets.map((cards) => cards.split(" "));
  if (record.pass === "scatter") {
    return given.map((_, seat) => given.flatMap((cards, from) => (from === seat ? [] : [cards[((seat - from + n) % n) - 1]])));
  }
  const steps = { left: 1, right: n - 1, across: n / 2 }[record.pass] ?? Number(record.pass);
  return given.map((_, seat) => given[(((seat - steps) % n) + n) % n]);
}

export class Viewer {
  constructor(root, deals, actions) {
    this.root = root;
    this.deals = deals;
    this.actions = actions;
    this.timer = 0;
    this.open(0);
  }

  get record() { return this.deals.records[this.number]; }

  open(number) {
    this.number = number;
    this.moments = moments(this.record);
    this.step(0, true);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
  }

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

  key(event) {
    if (event.key === "ArrowRight") this.step(this.at + 1);
    else if (event.key === "ArrowLeft") this.step(this.at - 1);
    else if (event.key === "Home") this.step(0);
    else if (event.key === "End") this.step(this.moments.length - 1);
    else return false;
    return true;
  }

  seat(moment, seat) {
    const n = moment.hands.length;
    const [x, y] = place(seat, n);
    const plate = el("section", { class: `open-hand ${seat === 0 ? "own" : ""}`, "aria-label": nameOf(this.record, seat) },
      el("strong", {}, el("span", { class: `dot s${seat}`, "aria-hidden": "true" }), el("span", { class: "name", text: nameOf(this.record, seat) }), el("small", { text: `${moment.tricks[seat]} tr` })),
      el("ul", {}, [...moment.hands[seat]].sort(inOrder).map((card) => el("li", { "aria-label": spoken(card) }, face(card)))));
    plate.style.setProperty("--x", x.toFixed(3));
    plate.style.setProperty("--y", y.toFixed(3));
    plate.style.setProperty("--count", moment.hands[seat].length);
    plate.style.setProperty("--row", Math.floor(n / 2) - Math.min(seat, n - seat)); // from the top, for a narrow screen
    return plate;
  }

  draw() {
    const moment = this.moments[this.at], record = this.record, n = moment.hands.length;
    const done = this.at === this.moments.length - 1;
    const laid = moment.trick.map(([seat, card]) => {
      const [x, y] = place(seat, n);
      const node = el("li", { class: `laid ${moment.winner === seat ? "wins" : ""}`, "aria-label": `${nameOf(record, seat)}: ${spoken(card)}` }, face(card));
      node.style.setProperty("--x", x.toFixed(3));
      node.style.setProperty("--y", y.toFixed(3));
      return node;
    });
    const button = (text, act, attributes = {}) => el("button", { type: "button", text, onclick: act, ...attributes });
    const felt = el("div", { class: `felt open players-${n}` }, moment.hands.map((_, seat) => this.seat(moment, seat)), el("ol", { class: "trick" }, laid));
    felt.style.setProperty("--rows", Math.floor(n / 2));
    this.root.replaceChildren(el("div", { class: "viewer" },
      felt,
      el("p", { class: "status", text: done && record.points ? `Points: ${record.points.map((value, seat) => `${nameOf(record, seat)} ${value}`).join(", ")}` : moment.note }),
      el("p", { class: "dim title", text: [this.deals.title, this.actions.part?.title].filter(Boolean).join(", ") }),
      el("input", { type: "range", min: 0, max: this.moments.length - 1, value: this.at, "aria-label": "Card", oninput: (event) => this.step(Number(event.target.value), true) }),
      el("div", { class: "actions" },
        button("|◀", () => this.step(0), { "aria-label": "To the start" }), button("◀", () => this.step(this.at - 1), { "aria-label": "Back" }),
        button(this.timer ? "Pause" : "Play", () => this.run(), { class: "main" }),
        button("▶", () => this.step(this.at + 1), { "aria-label": "Forward" }), button("▶|", () => this.step(this.moments.length - 1), { "aria-label": "To the end" }),
        this.deals.records.length > 1 && el("label", { class: "inline" }, "Deal ",
          el("select", { onchange: (event) => { this.stop(); this.open(Number(event.target.value)); } },
            this.deals.records.map((_, index) => el("option", { value: index, text: index + 1, selected: index === this.number })))),
        this.deals.proof && button("Save proof", () => save(`deal-${record.deal ?? 0}-proof.json`, JSON.stringify(this.deals.proof, null, 1))),
        this.actions.next && done && button("Next deal", this.actions.next, { class: "main" }),
        this.actions.part?.next && button("Next part of the file", this.actions.part.next),
        button("Close", this.actions.close))));
  }
}
