// The coach's panels: a hint, the blunder check, the review after a deal.
import { el, setVars, tens } from "./dom.js";
import { face, pretty, spoken } from "./cards.js";
import { lineChart } from "./chart.js";

/** Reasons as a list. @param {string[]} words */
const list = (words) => el("ul", { class: "words" }, words.map((text) => el("li", { text: tens(text) })));
/** Shares of the deals from which another's moon, and one's own, is shown. */
const MOON = 0.03, OWN_MOON = 0.1;
/** @param {number} value */
const points = (value) => value.toFixed(1);
/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)} %`;
/** @param {string[]} titles @param {HTMLElement[]} rows */
const judged = (titles, rows) => el("table", { class: "judged" },
  el("thead", {}, el("tr", {}, titles.map((text) => el("th", { scope: "col", text })))), el("tbody", {}, rows));

/**
 * Every legal card with expected points, spread, and moon risk; then the reasons.
 * @param {import("../protocol").Coaching} coaching
 * @param {string} sources where the words come from
 */
export function hint(coaching, sources) {
  const highest = Math.max(1, ...coaching.cards.map((one) => one.high));
  const lowest = Math.min(0, ...coaching.cards.map((one) => one.low));
  /** @param {number} value */
  const at = (value) => `${(100 * (value - lowest)) / (highest - lowest)}%`;
  const best = coaching.cards[0];
  const rows = coaching.cards.map((one, index) => {
    const range = el("span", { class: "range", "aria-hidden": "true" }, el("i"), el("b"));
    setVars(range, { low: at(one.low), high: at(one.high), mid: at(one.expected) });
    const error = one.se === null ? "" : `± ${one.se.toFixed(2)} standard error`;
    const own = one.own_moon >= OWN_MOON ? `yours ${percent(one.own_moon)}` : "";
    const moon = one.moon >= MOON ? percent(one.moon) : own;
    return el("tr", { class: index ? "" : "best" },
      el("th", { scope: "row", "aria-label": spoken(one.card), class: `suit-${one.card[1]}`, text: pretty(one.card) }),
      el("td", { class: "number", text: points(one.expected), title: error }),
      el("td", { class: "wide" }, range,
        el("span", { class: "unseen", text: `from ${points(one.low)} to ${points(one.high)}` })),
      el("td", { class: "dim", text: moon }));
  });
  const note = `Expected points over ${coaching.worlds} deals that fit; the bar spans eight in ten of them. Moon: in`
    + ` how many of them another seat shoots it (from ${percent(MOON)}), if ${coaching.play_on}. ${coaching.player},`
    + ` seed ${coaching.seed}.`;
  return el("section", { class: "panel-body coach" },
    el("h2", { text: "The coach" }),
    el("p", { class: "verdict" },
      "Play ", el("strong", { text: pretty(best.card) }), `, expecting ${points(best.expected)} points.`),
    list(coaching.words),
    judged(["Card", "Points", "Spread", "Moon"], rows),
    el("p", { class: "dim", text: note }),
    el("p", { class: "dim", text: sources }));
}

/**
 * What to pass: the sets that our players would choose, tried in the same worlds.
 * @param {import("../protocol").PassCoaching} answer
 * @param {(cards: string[]) => void} choose
 */
export function passing(answer, choose) {
  const best = answer.sets[0].cards;
  const rows = answer.sets.map((one, index) => {
    const more = `${one.cost < 0 ? "−" : "+"}${points(Math.abs(one.cost))} ± ${points(one.cost_se)}`;
    return el("tr", { class: index ? "" : "best" },
      el("th", { scope: "row", text: one.cards.map(pretty).join(" ") }),
      el("td", { class: "number", text: points(one.expected), title: `± ${one.se} standard error` }),
      el("td", { class: "number dim", text: !index ? "" : one.equal ? "equal" : more }),
      el("td", { class: "dim", text: one.by.join(", ") || "one card changed" }));
  });
  return el("section", { class: "panel-body coach" },
    el("h2", { text: "The coach" }),
    el("p", { class: "verdict" }, "Pass ", el("strong", { text: best.map(pretty).join(" ") }), "."),
    list(answer.words),
    judged(["Pass", "Points", "More", "Who would"], rows),
    el("button", { type: "button", text: "Choose these", onclick: () => choose(best) }),
    el("p", { class: "dim", text: answer.note }));
}

/**
 * The blunder check: first only whether there was something better.
 * @param {import("../protocol").Checked} answer
 * @param {{ canUndo: boolean, undo: () => void }} actions
 * @param {string} sources
 */
export function checked(answer, actions, sources) {
  const more = el("div", { hidden: true, role: "status" },
    list(answer.words), el("p", { class: "dim", text: sources }));
  const why = el("button", { type: "button", text: "How much, and why?", onclick: () => {
    more.hidden = false;
    why.disabled = true;
  } });
  const text = answer.better ? "There was something better." : "Nothing was clearly better.";
  return el("section", { class: "panel-body" },
    el("h2", { text: "Blunder check" }),
    el("p", { class: answer.better ? "alarm" : "good", text }),
    answer.better && el("div", { class: "actions left" }, why,
      actions.canUndo && el("button", { type: "button", text: "Take it back", onclick: actions.undo })),
    more);
}

/**
 * The review: the course of expected points, and the costliest decisions.
 * @param {import("../protocol").Reviewed} reviewed
 * @param {{ from: (at: number) => void }} actions
 * @param {string} sources
 */
export function review(reviewed, actions, sources) {
  const { passing } = reviewed;
  const mistakes = reviewed.worst.map((one) => el("article", { class: "mistake" },
    el("h3", {}, `Trick ${one.trick}: `, el("span", { text: `${pretty(one.card)} instead of ${pretty(one.best)}` }),
      el("em", { text: ` −${points(one.cost)}` })),
    el("div", { class: "pair", "aria-hidden": "true" }, face(one.card), face(one.best)),
    list(one.words),
    el("button", { type: "button", text: "Play on from here", onclick: () => actions.from(one.at - 1) })));
  return el("section", { class: "panel-body coach" },
    el("h2", { text: "Review" }),
    el("p", { class: reviewed.text.endsWith("Well played.") ? "verdict good" : "verdict", text: reviewed.text }),
    reviewed.course.length > 0
      && lineChart([{ values: reviewed.course }], { label: "Expected points of the deal, trick by trick" }),
    el("p", { class: "dim", text: "Expected points of the deal, trick by trick." }),
    mistakes,
    passing && el("article", { class: passing.words.length ? "mistake" : "" },
      el("h3", { text: "Passing" }), el("p", { text: tens(passing.text) }), list(passing.words)),
    el("p", { class: "dim", text: `${reviewed.note} ${sources} ${reviewed.player}, seed ${reviewed.seed}.` }));
}
