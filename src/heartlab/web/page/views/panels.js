// The side panels: scores with their chart, the last trick, the counting panel.
import { el } from "../render.js";
import { tens } from "../dom.js";
import { face, ranksOf, spoken, suitIcon, SUIT_ORDER, suitWord } from "../cards.js";
import { called, gain, t, whole } from "../texts.js";
import { lineChart } from "./chart.js";
import { dot } from "./parts.js";

/** What a deal adds to a score: "0", "+5". @param {number} points */
export const more = (points) => (points ? gain(points) : whole(points));

/** Running totals, deal by deal, with a chart. @param {import("../../protocol").View} view */
export function scores(view) {
  const rows = view.course
    .slice(1)
    .map((totals, deal) => totals.map((total, seat) => ({ total, won: total - view.course[deal][seat] })));
  const series = view.names.map((_, seat) => ({ values: view.course.map((totals, deal) => [deal, totals[seat]]) }));
  const running = !view.reveal;
  const table = el(
    "table",
    { class: `scores ${view.names.length > 4 || view.names.some((name) => [...name].length > 8) ? "many" : ""}` },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { text: t("scores.deal"), scope: "col" }),
        view.names.map((name, seat) => el("th", { scope: "col", title: called(name) }, dot(seat), called(name))),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((totals, deal) =>
        el(
          "tr",
          {},
          el("th", { scope: "row", text: deal + 1 }),
          totals.map(({ total, won }) => el("td", {}, whole(total), el("small", { text: ` ${more(won)}` }))),
        ),
      ),
      running &&
        el(
          "tr",
          { key: "running", class: "running" },
          el("th", { scope: "row", text: rows.length + 1 }),
          view.points.map((points) => el("td", {}, points === null ? "" : more(points))),
        ),
    ),
  );
  return el(
    "section",
    { class: "panel-body" },
    el("h2", { text: t("scores") }),
    rows.length > 0 && lineChart(series, { label: t("scores.chart"), limit: view.limit }),
    (rows.length > 0 || running) && table,
    el("p", { class: "dim", text: view.limit ? t("scores.limit", { limit: view.limit }) : t("scores.one") }),
  );
}

/** The last trick, on demand. @param {import("../../protocol").View} view */
export function lastTrick(view) {
  const cards = view.last.map(([seat, card]) => {
    const wins = seat === view.last_winner,
      name = called(view.names[seat]);
    const label = `${name}: ${spoken(card)}${wins ? `, ${t("last.takes")}` : ""}`;
    return el("li", { class: wins ? "wins" : "", "aria-label": label }, face(card), el("span", { text: name }));
  });
  return el(
    "section",
    { class: "panel-body" },
    el("h2", { text: t("last") }),
    cards.length ? el("ol", { class: "row-of-cards" }, cards) : el("p", { class: "dim", text: t("last.none") }),
  );
}

/** The counting panel. @param {import("../../protocol").Counted} counted @param {string[]} names */
export function counting(counted, names) {
  const others = names.slice(1);
  const rows = [...SUIT_ORDER].map((suit) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, suitIcon(suit), el("span", { class: "unseen", text: suitWord(suit) })),
      el("td", { class: "out", text: ranksOf(counted.out, suit) || "–" }),
      others.map((_, index) => el("td", { text: counted.voids[index + 1].includes(suit) ? t("count.void") : "" })),
    ),
  );
  const queen =
    counted.queen &&
    el(
      "tr",
      { class: "queen" },
      el("th", { scope: "row", text: "Q♠" }),
      el("td", { text: t("count.with") }),
      counted.queen.slice(1).map((share) => el("td", { text: `${Math.round(100 * share)} %` })),
    );
  const moon = counted.moon_seat === null ? counted.moon_text : "";
  return el(
    "section",
    { class: "panel-body" },
    el("h2", { text: t("count") }),
    counted.moon_seat !== null && el("p", { class: counted.moon_seat ? "alarm" : "good", text: counted.moon_text }),
    el(
      "table",
      { class: "counts" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td"),
          el("th", { scope: "col", text: t("count.out") }),
          others.map((name) => el("th", { scope: "col", text: name })),
        ),
      ),
      el("tbody", {}, rows, queen),
    ),
    el("p", { class: "dim", text: `${counted.queen_text} ${moon}` }),
  );
}

/**
 * The warning of a moon on the table; a wink, if it is one's own.
 * @param {import("../../protocol").MoonRisk | null} risk
 */
export const moonRisk = (risk) =>
  risk !== null &&
  risk.text !== "" &&
  el("p", { key: "risk", class: `moon-risk ${risk.seat ? "alarm" : "good"}`, role: "status", text: tens(risk.text) });
