// The coach's panels: a hint, the blunder check, the review after a deal.
import { el, tens } from "./dom.js";
import { face, pretty, spoken } from "./cards.js";
import { lineChart } from "./chart.js";

/** Reasons as a list. */
const list = (words) => el("ul", { class: "words" }, words.map((text) => el("li", { text: tens(text) })));
const MISTAKE = 0.4;
const points = (value) => value.toFixed(1);
const percent = (share) => `${Math.round(100 * share)} %`;

/** Every legal card with expected points, spread, and moon risk; then the reasons. */
export function hint(coaching, sources) {
  const highest = Math.max(1, ...coaching.cards.map((one) => one.high));
  const lowest = Math.min(0, ...coaching.cards.map((one) => one.low));
  const at = (value) => (100 * (value - lowest)) / (highest - lowest);
  const best = coaching.cards[0];
  const rows = coaching.cards.map((one, index) => {
    const range = el("span", { class: "range", "aria-hidden": "true" }, el("i", {}), el("b", {}));
    range.style.setProperty("--low", `${at(one.low)}%`);
    range.style.setProperty("--high", `${at(one.high)}%`);
    range.style.setProperty("--mid", `${at(one.expected)}%`);
    const moon = one.moon >= 0.03 ? percent(one.moon) : one.own_moon >= 0.1 ? `yours ${percent(one.own_moon)}` : "";
    return el("tr", { class: index ? "" : "best" },
      el("th", { scope: "row", "aria-label": spoken(one.card), class: `suit-${one.card[1]}`, text: pretty(one.card) }),
      el("td", { class: "number", text: points(one.expected), title: one.se === null ? "" : `± ${one.se.toFixed(2)} standard error` }),
      el("td", { class: "wide" }, range, el("span", { class: "unseen", text: `from ${points(one.low)} to ${points(one.high)}` })),
      el("td", { class: "dim", text: moon }));
  });
  return el("section", { class: "panel-body coach" },
    el("h2", { text: "The coach" }),
    el("p", { class: "verdict" }, "Play ", el("strong", { text: pretty(best.card) }), `, expecting ${points(best.expected)} points.`),
    list(coaching.words),
    el("table", { class: "judged" },
      el("thead", {}, el("tr", {}, ["Card", "Points", "Spread", "Moon"].map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, rows)),
    el("p", { class: "dim", text: `Expected points over ${coaching.worlds} deals that fit; the bar spans eight in ten of them. Moon: in how many of them another seat shoots it (from 3 %), if ${coaching.play_on}. ${coaching.player}, seed ${coaching.seed}.` }),
    el("p", { class: "dim", text: sources }));
}

/** What to pass: the sets that our players would choose, tried in the same worlds. */
export function passing(answer, choose) {
  return el("section", { class: "panel-body coach" },
    el("h2", { text: "The coach" }),
    el("p", { class: "verdict" }, "Pass ", el("strong", { text: answer.sets[0].cards.map(pretty).join(" ") }), "."),
    list(answer.words),
    el("table", { class: "judged" },
      el("thead", {}, el("tr", {}, ["Pass", "Points", "More", "Who would"].map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, answer.sets.map((one, index) => el("tr", { class: index ? "" : "best" },
        el("th", { scope: "row", text: one.cards.map(pretty).join(" ") }),
        el("td", { class: "number", text: points(one.expected), title: `± ${one.se} standard error` }),
        el("td", { class: "number dim", text: !index ? "" : one.equal ? "equal" : `${one.cost < 0 ? "−" : "+"}${points(Math.abs(one.cost))} ± ${points(one.cost_se)}` }),
        el("td", { class: "dim", text: one.by.join(", ") || "one card changed" }))))),
    el("button", { type: "button", text: "Choose these", onclick: () => choose(answer.sets[0].cards) }),
    el("p", { class: "dim", text: `Points of the deal over ${answer.worlds} deals that fit, if all play on like gnome; beside them how much more than the first pass, with its standard error, or "equal" within two of these. The first one was chosen in other deals that fit.` }));
}

/** The blunder check: first only whether there was something better. */
export function checked(answer, actions, sources) {
  const more = el("div", { hidden: true, role: "status" },
    list(answer.words), el("p", { class: "dim", text: sources }));
  return el("section", { class: "panel-body" },
    el("h2", { text: "Blunder check" }),
    el("p", { class: answer.better ? "alarm" : "good", text: answer.better ? "There was something better." : "Nothing was clearly better." }),
    answer.better && el("div", { class: "actions left" },
      el("button", { type: "button", text: "How much, and why?", onclick: (event) => { more.hidden = false; event.target.disabled = true; } }),
      actions.canUndo && el("button", { type: "button", text: "Take it back", onclick: actions.undo })),
    more);
}

/** The review: the course of expected points, and the costliest decisions. */
export function review(reviewed, actions, sources) {
  const series = [{ name: "You", colour: 0, values: reviewed.course }];
  return el("section", { class: "panel-body coach" },
    el("h2", { text: "Review" }),
    el("p", { class: reviewed.text.endsWith("Well played.") ? "verdict good" : "verdict", text: reviewed.text }),
    reviewed.course.length > 0 && lineChart(series, { label: "Expected points of the deal, trick by trick" }),
    el("p", { class: "dim", text: "Expected points of the deal, trick by trick." }),
    reviewed.worst.map((one) => el("article", { class: "mistake" },
      el("h3", {}, `Trick ${one.trick}: `, el("span", { text: `${pretty(one.card)} instead of ${pretty(one.best)}` }), el("em", { text: ` −${points(one.cost)}` })),
      el("div", { class: "pair", "aria-hidden": "true" }, face(one.card), face(one.best)),
      list(one.words),
      el("button", { type: "button", text: "Play on from here", onclick: () => actions.from(one.at - 1) }))),
    reviewed.passing && el("article", { class: reviewed.passing.words.length ? "mistake" : "" },
      el("h3", { text: "Passing" }), el("p", { text: tens(reviewed.passing.text) }),
      list(reviewed.passing.words)),
    el("p", { class: "dim", text: `A decision counts if it cost more than twice its standard error over the deals that fit, and is a mistake from ${MISTAKE} points on. ${sources} ${reviewed.player}, seed ${reviewed.seed}.` }));
}
