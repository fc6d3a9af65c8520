// What lies over the page: options, help, a question before something is lost; and the notice where no table is.
import { el } from "../render.js";
import { CHOICES, options, SWITCHES } from "../options.js";
import { some, t } from "../texts.js";
import { button, choice, field, toggle } from "./parts.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Acts} Acts */

const KEYS = [
  ["← →", "walk"],
  ["Enter", "play"],
  ["P", "pass"],
  ["Enter", "go"],
  ["L", "last"],
  ["H", "hint"],
  ["C", "count"],
  ["K", "check"],
  ["U", "undo"],
  ["F", "claim"],
  ["N", "next"],
  ["S", "scores"],
  ["1 2", "moon"],
  ["?", "help"],
];

/** @param {Acts} acts */
const done = (acts) => el("div", { class: "actions" }, button(t("done"), acts.closeDialog, { class: "main" }));

/** @param {Acts} acts */
function optionsView(acts) {
  return [
    el("h2", { text: t("options") }),
    Object.entries(CHOICES).map(([name, values]) =>
      field(
        some(`option.${name}`),
        choice(
          name,
          String(options[name]),
          values.map((value) => [value, some(`option.${name}.${value}`)]),
          (value) => acts.option(name, value),
        ),
      ),
    ),
    SWITCHES.map((name) => toggle(name, some(`option.${name}`), Boolean(options[name]), (on) => acts.option(name, on))),
    done(acts),
  ];
}

/** @param {State} state @param {Acts} acts @param {string} rules */
function helpView({ described }, acts, rules) {
  const known = described?.rules === rules ? described : null;
  return [
    el("h2", { text: t("help.how"), tabindex: "-1", autofocus: true }),
    el("p", { class: "dim", id: "how-rules", text: known ? t("help.rules", { rules: known.text }) : "" }),
    el(
      "div",
      { id: "how" },
      known
        ? el(
            "ul",
            { class: "words" },
            known.how.map((text) => el("li", { text })),
          )
        : el("p", { class: "busy", text: t("help.asking") }),
    ),
    el("h2", { text: t("help.keys") }),
    el(
      "dl",
      { class: "keys" },
      KEYS.map(([key, what]) => [el("dt", {}, el("kbd", { text: key })), el("dd", { text: some(`key.${what}`) })]),
    ),
    el("h2", { text: t("help.fair") }),
    el("p", { text: t("help.fairText") }),
    done(acts),
  ];
}

/** @param {import("../state.js").Question} question @param {Acts} acts */
const questionView = (question, acts) => [
  el("p", { id: "question-text", text: question.text }),
  el(
    "div",
    { class: "actions" },
    button(question.yes, acts.yes, { class: "main" }),
    button(t("cancel"), acts.closeDialog, { autofocus: true }),
  ),
];

/** What the dialog shows, or nothing. @param {State} state @param {Acts} acts @param {string} rules */
export function dialogView(state, acts, rules) {
  if (state.question) return questionView(state.question, acts);
  if (state.dialog === "options") return optionsView(acts);
  return state.dialog === "help" ? helpView(state, acts, rules) : null;
}

/** The notice where there is no status line to take it. @param {State} state */
export const noticeView = ({ notice }) =>
  notice && el("p", { key: "notice", id: "toast", class: `toast ${notice.kind}`, role: "alert", text: notice.text });
