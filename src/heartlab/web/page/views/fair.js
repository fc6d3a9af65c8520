// "Are the cards rigged?": the promise in three sentences, a check in this browser, and one's own hands beside chance.
import { el } from "../render.js";
import { deviation, hands } from "../stats.js";
import { decimal, some, t } from "../texts.js";
import { barChart } from "./chart.js";
import { busyText, button, sheet } from "./parts.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Acts} Acts */

/** @param {State} state @param {Acts} acts */
function check(state, acts) {
  const { checks } = state;
  return el(
    "section",
    { class: "check" },
    el("h2", { text: t("fair.check") }),
    el("p", { text: t("fair.checkText") }),
    button(t("fair.now"), acts.checkLastDeal, { class: "main", disabled: !state.games?.length }),
    state.games?.length === 0 && el("p", { class: "dim", text: t("fair.noDeal") }),
    checks === "busy" && busyText(t("fair.checking")),
    Array.isArray(checks) &&
      el(
        "div",
        { role: "status" },
        el(
          "ul",
          { class: "checks" },
          checks.map(({ name, holds }) =>
            el(
              "li",
              { key: name, class: holds ? "good" : "alarm" },
              el("span", { "aria-hidden": "true", text: holds ? "✓ " : "✗ " }),
              t(holds ? "fair.holds" : "fair.fails", { what: some(`fair.check.${name}`) }),
            ),
          ),
        ),
      ),
    typeof checks === "string" && checks !== "busy" && el("p", { class: "alarm", role: "status", text: checks }),
    el("p", { class: "dim", text: t("fair.offline") }),
    el("p", { class: "mono", text: "heartlab verify deal-0-proof.json --commitment HASH --promise HASH" }),
  );
}

/** @param {State} state */
function chance(state) {
  const { deals, queens, highMean, hearts } = hands(state.games ?? []);
  if (!deals) return el("p", { class: "dim", text: t("fair.noHands") });
  const far = Math.abs(deviation(queens, deals, 0.25));
  return el(
    "section",
    {},
    el("h2", { text: t("fair.hands", { n: deals }) }),
    el("p", { text: t("fair.queen", { n: queens, of: deals, chance: decimal(deals / 4, 1) }) }),
    el("p", { text: t(far < 2 ? "fair.usual" : "fair.unusual", { far: decimal(far, 1) }) }),
    el("p", { text: t("fair.high", { mean: decimal(highMean, 2) }) }),
    el(
      "figure",
      {},
      el("figcaption", { text: t("fair.hearts") }),
      barChart(hearts, { label: t("fair.hearts"), width: 420 }),
    ),
  );
}

/** The page about fairness. @param {State} state @param {Acts} acts */
export function fairView(state, acts) {
  return sheet(
    t("fair"),
    acts.lobby,
    el(
      "ol",
      { class: "words" },
      ["one", "two", "three"].map((name) => el("li", { text: some(`fair.${name}`) })),
    ),
    check(state, acts),
    chance(state),
  );
}
