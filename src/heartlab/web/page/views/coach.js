// The coach's panels: a hint, the blunder check, the review after a deal. What the coach says comes from the server.
import { el } from "../render.js";
import { tens } from "../dom.js";
import { face, pretty, spoken } from "../cards.js";
import { decimal, t } from "../texts.js";
import { lineChart } from "./chart.js";
import { button, SCROLL } from "./parts.js";

/** @typedef {import("../render.js").Made} Made */

/** Reasons as a list. @param {string[]} words */
const list = (words) =>
  words.length > 0 &&
  el(
    "ul",
    { class: "words" },
    words.map((text) => el("li", { text: tens(text) })),
  );
/** @param {number} value */
const points = (value) => decimal(value, 1);
/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)} %`;
/** @param {string[]} titles @param {Made[]} rows */
const judged = (titles, rows) =>
  el(
    "div",
    SCROLL,
    el(
      "table",
      { class: "judged" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          titles.map((text) => el("th", { scope: "col", text })),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );

/** What a friend leaves out: opened on demand. @param {...(Made | false)} children */
const more = (...children) =>
  el("details", { key: "more", class: "more" }, el("summary", { text: t("coach.open") }), ...children);
/** @param {string} card */
const rowHead = (card) =>
  el(
    "th",
    { scope: "row", class: `suit-${card[1]}` },
    el("span", { "aria-hidden": "true", text: pretty(card) }),
    el("span", { class: "unseen", text: spoken(card) }),
  );
/** Another's moon and one's own. @param {{ moon: number, own_moon: number }} one */
const moons = (one) =>
  [one.moon >= 0.005 && percent(one.moon), one.own_moon >= 0.005 && t("coach.yours", { share: percent(one.own_moon) })]
    .filter(Boolean)
    .join(" ");

/**
 * Every legal card with its numbers; moons only if there are any, for the panel is narrow.
 * @param {import("../../protocol").Coaching} coaching
 */
function cardTable(coaching) {
  // A mean may lie outside of the spread, which leaves out a tenth on either side.
  const highest = Math.max(1, ...coaching.cards.map((one) => Math.max(one.high, one.expected)));
  const lowest = Math.min(0, ...coaching.cards.map((one) => Math.min(one.low, one.expected)));
  /** @param {number} value */
  const at = (value) => `${(100 * (value - lowest)) / (highest - lowest)}%`;
  const anyMoon = coaching.cards.some(moons);
  const rows = coaching.cards.map((one) =>
    el(
      "tr",
      { key: one.card, class: one.equal ? "best" : "" },
      rowHead(one.card),
      el("td", {
        class: "number",
        text: points(one.expected),
        title: one.se === null ? "" : t("coach.error", { se: decimal(one.se, 2) }),
      }),
      el("td", { class: "dim", text: percent(one.queen) }),
      el("td", { class: "dim", text: points(one.hearts) }),
      anyMoon && el("td", { class: "dim", text: moons(one) }),
      el(
        "td",
        { class: "wide" },
        el(
          "span",
          {
            class: "range",
            "aria-hidden": "true",
            vars: { low: at(one.low), high: at(one.high), mid: at(one.expected) },
          },
          el("i"),
          el("b"),
        ),
        el("span", { class: "unseen", text: t("coach.spread", { low: points(one.low), high: points(one.high) }) }),
      ),
    ),
  );
  const moon = anyMoon ? [t("coach.moon")] : [];
  return judged([t("coach.card"), t("coach.points"), "Q♠", t("coach.hearts"), ...moon, t("coach.range")], rows);
}

/**
 * The advice in a line, at most two reasons, and on demand all numbers and what learned models say.
 * @param {import("../../protocol").Coaching} coaching
 * @param {string} sources where the words come from
 * @param {(() => void) | null} playLine opens how the deal goes on, in a replay
 */
export function hint(coaching, sources, playLine = null) {
  return el(
    "section",
    { class: "panel-body coach" },
    el("h2", { text: t("coach") }),
    coaching.to && el("p", { class: "dim", text: coaching.to }),
    el("p", { class: "verdict" }, el("strong", { text: tens(coaching.first) })),
    list(coaching.words),
    playLine && coaching.line && button(t("coach.line"), playLine),
    more(
      cardTable(coaching),
      el("p", { class: "dim", text: coaching.note }),
      list(coaching.more),
      el("p", { class: "dim", text: sources }),
    ),
  );
}

/**
 * What to pass: the advice, at most two reasons, and on demand the passes that were compared.
 * @param {import("../../protocol").PassCoaching} answer
 * @param {(cards: string[]) => void} choose
 */
export function passing(answer, choose) {
  const rows = answer.sets.map((one, index) => {
    const extra = `${one.cost < 0 ? "−" : "+"}${points(Math.abs(one.cost))} ± ${points(one.cost_se)}`;
    return el(
      "tr",
      { class: index ? "" : "best" },
      el("th", { scope: "row", text: one.cards.map(pretty).join(" ") }),
      el("td", { class: "number", text: points(one.expected), title: t("coach.error", { se: decimal(one.se, 2) }) }),
      el("td", { class: "number dim", text: !index ? "" : one.equal ? t("coach.equal") : extra }),
      el("td", { class: "dim", text: percent(one.queen) }),
      el("td", { class: "dim", text: points(one.hearts) }),
      el("td", { class: "dim", text: moons(one) }),
    );
  });
  const titles = [t("coach.set"), t("coach.points"), t("coach.more"), "Q♠", t("coach.hearts"), t("coach.moon")];
  return el(
    "section",
    { class: "panel-body coach" },
    el("h2", { text: t("coach") }),
    el("p", { class: "verdict" }, el("strong", { text: tens(answer.first) })),
    list(answer.words),
    button(t("coach.choose"), () => choose(answer.sets[0].cards)),
    more(judged(titles, rows), el("p", { class: "dim", text: answer.note })),
  );
}

/**
 * The blunder check: first only whether there was something better.
 * @param {import("../../protocol").Checked} answer
 * @param {{ canUndo: boolean, undo: () => void, why: boolean, askWhy: () => void }} actions
 * @param {string} sources
 */
export function checked(answer, actions, sources) {
  return el(
    "section",
    { class: "panel-body" },
    el("h2", { text: t("check") }),
    el("p", { class: answer.better ? "alarm" : "good", text: t(answer.better ? "check.better" : "check.fine") }),
    answer.better &&
      el(
        "div",
        { class: "actions left" },
        button(t("check.why"), actions.askWhy, { disabled: actions.why }),
        actions.canUndo && button(t("check.undo"), actions.undo),
      ),
    actions.why && el("div", { role: "status" }, list(answer.words), el("p", { class: "dim", text: sources })),
  );
}

/**
 * The review: the course of expected points, and the costliest decisions.
 * @param {import("../../protocol").Reviewed} reviewed
 * @param {{ from: (at: number) => void, line: (at: number) => void }} actions
 * @param {string} sources
 */
export function review(reviewed, actions, sources) {
  const { passing } = reviewed;
  const mistakes = reviewed.worst.map((one) =>
    el(
      "article",
      { class: "mistake" },
      el(
        "h3",
        {},
        t("review.trick", { n: one.trick }),
        " ",
        el("span", { text: t("review.instead", { card: pretty(one.card), best: pretty(one.best) }) }),
        el("em", { text: ` −${points(one.cost)}` }),
      ),
      el("div", { class: "pair", "aria-hidden": "true" }, face(one.card), face(one.best)),
      list(one.words),
      el(
        "div",
        { class: "actions left" },
        button(t("review.from"), () => actions.from(one.at - 1)),
        button(t("coach.line"), () => actions.line(one.at)),
      ),
    ),
  );
  return el(
    "section",
    { class: "panel-body coach" },
    el("h2", { text: t("review") }),
    el("p", { class: reviewed.worst.length ? "verdict" : "verdict good", text: tens(reviewed.text) }),
    reviewed.course.length > 0 && lineChart([{ values: reviewed.course }], { label: t("review.course") }),
    el("p", { class: "dim", text: t("review.course") }),
    mistakes,
    passing &&
      el(
        "article",
        { class: passing.words.length ? "mistake" : "" },
        el("h3", { text: t("review.passing") }),
        el("p", { text: tens(passing.text) }),
        list(passing.words),
      ),
    more(el("p", { class: "dim", text: `${reviewed.note} ${sources}` })),
  );
}
