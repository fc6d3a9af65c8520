// The analysis board: set up a position or paste a record; it opens as a replay, with the coach beside it.
import { el } from "../render.js";
import { t } from "../texts.js";
import { button, field, sheet } from "./parts.js";

/** The analysis board. @param {import("../state.js").State} _ @param {import("../actions.js").Acts} acts */
export function analysisView(_, acts) {
  return sheet(
    t("analysis"),
    acts.lobby,
    el("p", { text: t("analysis.text") }),
    el(
      "form",
      { class: "set-up", onsubmit: acts.setUp },
      [0, 1, 2, 3].map((seat) =>
        el(
          "label",
          { key: seat, class: "field" },
          el("span", { text: t("analysis.hand", { n: seat }) }),
          el("input", { name: "hand", autocomplete: "off", spellcheck: "false", placeholder: "2C 10C QS AH …" }),
        ),
      ),
      field(
        t("analysis.tricks"),
        el("textarea", { name: "tricks", rows: 3, spellcheck: "false", placeholder: "trick 1 2: 2C QC 8C AC" }),
      ),
      field(
        t("analysis.record"),
        el("textarea", { name: "record", rows: 4, spellcheck: "false", placeholder: "%hearts 1" }),
      ),
      el(
        "div",
        { class: "actions left" },
        el("button", { type: "submit", class: "main", text: t("analysis.open") }),
        button(t("analysis.random"), acts.randomHands),
      ),
    ),
  );
}
