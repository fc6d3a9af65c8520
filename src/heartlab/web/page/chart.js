// Small charts in SVG: totals over the deals, expected points over the tricks.
import { svg } from "./dom.js";

/**
 * Lines over whole numbers; `limit` draws a dashed line.
 * @param {{ colour?: number, values: number[][] }[]} series
 * @param {{ label: string, limit?: number | null, width?: number, height?: number }} options
 */
export function lineChart(series, { label, limit = null, width = 320, height = 150 }) {
  const points = series.flatMap((one) => one.values);
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
  const low = Math.min(0, ...ys), high = Math.max(limit ?? 0, 1, ...ys);
  const last = Math.max(1, ...xs), first = Math.min(...xs, last - 1);
  const left = 26, right = 10, top = 8, bottom = 18;
  /** @param {number} value */
  const x = (value) => left + ((value - first) / (last - first)) * (width - left - right);
  /** @param {number} value */
  const y = (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom);
  const ticks = [low, (low + high) / 2, high].map((value) => Math.round(value));
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label },
    ticks.map((value) => [
      svg("path", { d: `M${left} ${y(value)}H${width - right}`, class: "grid" }),
      svg("text", { x: left - 5, y: y(value) + 3.5, class: "tick end", text: value }),
    ]),
    limit !== null && svg("path", { d: `M${left} ${y(limit)}H${width - right}`, class: "limit" }),
    svg("text", { x: width - right, y: height - 4, class: "tick end", text: last }),
    svg("text", { x: left, y: height - 4, class: "tick", text: first }),
    series.map((one, index) => svg("g", { class: `series s${one.colour ?? index}` },
      svg("path", {
        d: one.values.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join(""),
      }),
      one.values.map(([a, b]) => svg("circle", { cx: x(a), cy: y(b), r: one.values.length > 20 ? 1.5 : 2.6 })))));
}
