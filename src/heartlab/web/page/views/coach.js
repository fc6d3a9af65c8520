// The coach's panels: a hint, the blunder check, the review after a deal. What the coach says comes from the server.
import { el } from "../render.js";
import { tens } from "../dom.js";
import { face, pretty, spoken } from "../cards.js";
import { t } from "../texts.js";
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
/** Shares of the deals from which another's moon, and one's own, is shown. */
const MOON = 0.03,
  OWN_MOON = 0.1;
/** @param {number} value */
const points = (value) => value.toFixed(1);
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

/**
 * Every legal card with expected points, spread, and moon risk; then the reasons.
 * @param {import("../../protocol").Coaching} coaching
 * @param {string} sources where the words come from
 */
export function hint(coaching, sources) {
  const highest = Math.max(1, ...coaching.cards.map((one) => one.high));
  const lowest = Math.min(0, ...coaching.cards.map((one) => one.low));
  /** @param {number} value */
  const at = (value) => `${(100 * (value - lowest)) / (highest - lowest)}%`;
  const best = coaching.cards[0];
  const rows = coaching.cards.map((one, index) => {
    const error = one.se === null ? "" : t("coach.error", { se: one.se.toFixed(2) });
    const own = one.own_moon >= OWN_MOON ? t("coach.yours", { share: percent(one.own_moon) }) : "";
    const moon = one.moon >= MOON ? percent(one.moon) : own;
    return el(
      "tr",
      { key: one.card, class: index ? "" : "best" },
      el(
        "th",
        { scope: "row", class: `suit-${one.card[1]}` },
        el("span", { "aria-hidden": "true", text: pretty(one.card) }),
        el("span", { class: "unseen", text: spoken(one.card) }),
      ),
      el("td", { class: "number", text: points(one.expected), title: error }),
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
      el("td", { class: "dim", text: moon }),
    );
  });
  const note = t("coach.note", {
    worlds: coaching.worlds,
    share: percent(MOON),
    on: coaching.play_on,
    player: coaching.player,
    seed: coaching.seed,
  });
  return el(
    "section",
    { class: "panel-body coach" },
    el("h2", { text: t("coach") }),
    el(
      "p",
      { class: "verdict" },
      t("coach.play"),
      " ",
      el("strong", { text: pretty(best.card) }),
      t("coach.expecting", { points: points(best.expected) }),
    ),
    list(coaching.words),
    judged([t("coach.card"), t("coach.points"), t("coach.range"), t("coach.moon")], rows),
    el("p", { class: "dim", text: note }),
    el("p", { class: "dim", text: sources }),
  );
}

/**
 * What to pass: the sets that our players would choose, tried in the same worlds.
 * @param {import("../../protocol").PassCoaching} answer
 * @param {(cards: string[]) => void} choose
 */
export function passing(answer, choose) {
  const best = answer.sets[0].cards;
  const rows = answer.sets.map((one, index) => {
    const more = `${one.cost < 0 ? "−" : "+"}${points(Math.abs(one.cost))} ± ${points(one.cost_se)}`;
    return el(
      "tr",
      { class: index ? "" : "best" },
      el("th", { scope: "row", text: one.cards.map(pretty).join(" ") }),
      el("td", { class: "number", text: points(one.expected), title: t("coach.error", { se: one.se }) }),
      el("td", { class: "number dim", text: !index ? "" : one.equal ? t("coach.equal") : more }),
      el("td", { class: "dim", text: one.by.join(", ") || t("coach.changed") }),
    );
  });
  return el(
    "section",
    { class: "panel-body coach" },
    el("h2", { text: t("coach") }),
    el("p", { class: "verdict" }, t("coach.pass"), " ", el("strong", { text: best.map(pretty).join(" ") }), "."),
    list(answer.words),
    judged([t("coach.set"), t("coach.points"), t("coach.more"), t("coach.who")], rows),
    button(t("coach.choose"), () => choose(best)),
    el("p", { class: "dim", text: answer.note }),
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
 * @param {{ from: (at: number) => void }} actions
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
      button(t("review.from"), () => actions.from(one.at - 1)),
    ),
  );
  return el(
    "section",
    { class: "panel-body coach" },
    el("h2", { text: t("review") }),
    el("p", { class: reviewed.text.endsWith("Well played.") ? "verdict good" : "verdict", text: reviewed.text }),
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
    el("p", { class: "dim", text: `${reviewed.note} ${sources} ${reviewed.player}, seed ${reviewed.seed}.` }),
  );
}
