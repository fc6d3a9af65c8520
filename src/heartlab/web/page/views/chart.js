// Small charts in SVG: totals over the deals, expected points over the tricks, bars beside what chance would give.
import { decimal } from "../texts.js";
import { svg } from "../render.js";

/**
 * Lines over numbers; `limit` draws a dashed line; a series may have a band of its uncertainty.
 * @param {{ colour?: number, values: number[][], band?: [number, number, number][] }[]} series
 * @param {{ label: string, limit?: number | null, width?: number, height?: number, digits?: number }} options
 */
export function lineChart(series, { label, limit = null, width = 320, height = 150, digits = 0 }) {
  const points = series.flatMap((one) => [
    ...one.values,
    ...(one.band ?? []).flatMap(([x, a, b]) => [
      [x, a],
      [x, b],
    ]),
  ]);
  const xs = points.map(([x]) => x),
    ys = points.map(([, y]) => y);
  const low = Math.min(0, ...ys),
    high = Math.max(limit ?? 0, 1, ...ys);
  const last = Math.max(1, ...xs),
    first = Math.min(...xs, last - 1);
  const left = 30,
    right = 10,
    top = 8,
    bottom = 18;
  /** @param {number} value */
  const x = (value) => left + ((value - first) / (last - first)) * (width - left - right);
  /** @param {number} value */
  const y = (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom);
  /** @param {number[][]} values */
  const path = (values) => values.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
  // A small range has no middle that can be told from its ends.
  const told = [low, (low + high) / 2, high].map((value) => ({ value, text: decimal(value, digits) }));
  const ticks = told.filter(({ text }, index) => index !== 1 || (text !== told[0].text && text !== told[2].text));
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label },
    ticks.map(({ value, text }) => [
      svg("path", { d: `M${left} ${y(value)}H${width - right}`, class: "grid" }),
      svg("text", { x: left - 5, y: y(value) + 3.5, class: "tick end", text }),
    ]),
    limit !== null && svg("path", { d: `M${left} ${y(limit)}H${width - right}`, class: "limit" }),
    svg("text", { x: width - right, y: height - 4, class: "tick end", text: last }),
    svg("text", { x: left, y: height - 4, class: "tick", text: first }),
    series.map((one, index) =>
      svg(
        "g",
        { class: `series s${one.colour ?? index}` },
        one.band &&
          svg("path", {
            class: "band",
            d: `${path(one.band.map(([a, b]) => [a, b]))}${path(
              [...one.band].reverse().map(([a, , b]) => [a, b]),
            ).replace("M", "L")}Z`,
          }),
        svg("path", { d: path(one.values) }),
        one.values.length <= 60 &&
          one.values.map(([a, b]) => svg("circle", { cx: x(a), cy: y(b), r: one.values.length > 20 ? 1.5 : 2.6 })),
      ),
    ),
  );
}

/**
 * Bars with their names, each beside a mark for what chance would give.
 * @param {{ name: string, value: number, expected: number }[]} bars
 * @param {{ label: string, width?: number, height?: number }} options
 */
export function barChart(bars, { label, width = 320, height = 140 }) {
  const high = Math.max(1, ...bars.flatMap((bar) => [bar.value, bar.expected])),
    bottom = 18,
    step = width / bars.length;
  /** @param {number} value */
  const y = (value) => height - bottom - (value / high) * (height - bottom - 14);
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "chart bars", role: "img", "aria-label": label },
    bars.map((bar, index) => [
      svg("rect", {
        x: index * step + step * 0.2,
        y: y(bar.value),
        width: step * 0.6,
        height: height - bottom - y(bar.value),
      }),
      svg("path", { class: "chance", d: `M${index * step + step * 0.1} ${y(bar.expected)}h${step * 0.8}` }),
      svg("text", {
        x: (index + 0.5) * step,
        y: y(Math.max(bar.value, bar.expected)) - 3,
        class: "tick mid",
        text: bar.value,
      }),
      svg("text", { x: (index + 0.5) * step, y: height - 5, class: "tick mid", text: bar.name }),
    ]),
  );
}
