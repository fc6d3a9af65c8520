// The side panels: scores with their chart, the last trick, the counting panel.
import { el } from "./dom.js";
import { face, pretty, spoken, suitIcon, SUIT_ORDER, suitWord, RANKS } from "./cards.js";
import { lineChart } from "./chart.js";

/** Running totals, deal by deal, with a chart. */
export function scores(view) {
  const rows = view.course.slice(1).map((totals, index) => [
    index + 1, totals.map((total, seat) => [total, total - view.course[index][seat]]),
  ]);
  const series = view.names.map((name, seat) => ({ name, values: view.course.map((totals, deal) => [deal, totals[seat]]) }));
  const table = el("table", { class: "scores" },
    el("thead", {}, el("tr", {}, el("th", { text: "Deal", scope: "col" }), view.names.map((name, seat) =>
      el("th", { scope: "col" }, el("span", { class: `dot s${seat}`, "aria-hidden": "true" }), name)))),
    el("tbody", {}, rows.map(([deal, totals]) => el("tr", {}, el("th", { scope: "row", text: deal }), totals.map(([total, gain]) =>
      el("td", {}, String(total), el("small", { text: ` ${gain >= 0 ? "+" : "−"}${Math.abs(gain)}` })))))));
  return el("section", { class: "panel-body" },
    el("h2", { text: "Scores" }),
    rows.length ? lineChart(series, { label: "Totals after each deal", limit: view.limit })
      : el("p", { class: "dim", text: view.limit ? `The game ends when somebody reaches ${view.limit}. The lowest total wins.` : "One deal." }),
    rows.length > 0 && table);
}

/** The last trick, on demand. */
export function lastTrick(view) {
  return el("section", { class: "panel-body" },
    el("h2", { text: "Last trick" }),
    view.last.length === 0 ? el("p", { class: "dim", text: "No trick is finished yet." })
      : el("ol", { class: "row-of-cards" }, view.last.map(([seat, card]) =>
        el("li", { class: seat === view.last_winner ? "wins" : "", "aria-label": `${view.names[seat]}: ${spoken(card)}${seat === view.last_winner ? ", takes it" : ""}` },
          face(card), el("span", { text: view.names[seat] })))));
}

/** The counting panel. */
export function counting(counted, names) {
  const rows = [...SUIT_ORDER].map((suit) => {
    const out = counted.out.filter((card) => card[1] === suit).sort((a, b) => RANKS.indexOf(b[0]) - RANKS.indexOf(a[0]));
    return el("tr", {}, el("th", { scope: "row", "aria-label": suitWord(suit) }, suitIcon(suit)),
      el("td", { class: "out", text: out.map((card) => pretty(card).slice(0, -1)).join(" ") || "–" }),
      names.slice(1).map((_, index) => el("td", { text: counted.voids[index + 1].includes(suit) ? "void" : "" })));
  });
  const queen = counted.queen && el("tr", { class: "queen" }, el("th", { scope: "row", text: "Q♠" }), el("td", { text: "with" }),
    counted.queen.slice(1).map((share) => el("td", { text: `${Math.round(100 * share)} %` })));
  return el("section", { class: "panel-body" },
    el("h2", { text: "Counting" }),
    counted.moon_seat !== null && el("p", { class: "alarm", role: "alert", text: counted.moon_text }),
    el("table", { class: "counts" },
      el("thead", {}, el("tr", {}, el("th", {}), el("th", { scope: "col", text: "out" }), names.slice(1).map((name) => el("th", { scope: "col", text: name })))),
      el("tbody", {}, rows, queen)),
    el("p", { class: "dim", text: `${counted.queen_text} ${counted.moon_seat === null ? counted.moon_text : ""} (${counted.worlds} deals that fit)` }));
}
