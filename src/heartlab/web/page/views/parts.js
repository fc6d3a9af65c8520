// Small parts that every view uses.
import { el } from "../render.js";
import { t } from "../texts.js";

/** @typedef {import("../render.js").Made} Made */

/**
 * A button.
 * @param {string} text
 * @param {(event: any) => void} act
 * @param {Record<string, import("../render.js").Attribute>} more
 */
export const button = (text, act, more = {}) => el("button", { type: "button", text, onclick: act, ...more });

/** The colour of a seat. @param {number} seat */
export const dot = (seat) => el("span", { class: `dot s${seat}`, "aria-hidden": "true" });

/** A wide table that can be moved sideways, by keys as well. */
export const SCROLL = { class: "scroll", tabindex: "0", role: "group" };

/** That something takes a while. @param {string} text */
export const busyText = (text) => el("p", { class: "busy", role: "status", text });

/** A labelled field of a form. @param {string} text @param {Made} node */
export const field = (text, node) => el("label", { class: "field" }, el("span", { text }), node);

/**
 * A choice among texts.
 * @param {string} name
 * @param {string} value
 * @param {[string, string][]} choices values and texts
 * @param {(value: string) => void} pick
 */
export const choice = (name, value, choices, pick) =>
  el(
    "select",
    { name, value, onchange: (event) => pick(event.target.value) },
    choices.map(([one, text]) => el("option", { key: one, value: one, text })),
  );

/**
 * A choice among a few texts that are all in sight.
 * @param {string} name
 * @param {string} title
 * @param {string} value
 * @param {[string, string][]} choices values and texts
 * @param {(value: string) => void} pick
 */
export const segments = (name, title, value, choices, pick) =>
  el(
    "fieldset",
    { class: "levels" },
    el("legend", { text: title }),
    el(
      "div",
      { class: "segments" },
      choices.map(([one, text]) =>
        el(
          "label",
          { key: one, class: "level" },
          el("input", { type: "radio", name, value: one, checked: value === one, onchange: () => pick(one) }),
          el("span", { text }),
        ),
      ),
    ),
  );

/** A switch. @param {string} name @param {string} text @param {boolean} on @param {(on: boolean) => void} turn */
export const toggle = (name, text, on, turn) =>
  el(
    "label",
    { class: "switch" },
    el("input", { type: "checkbox", name, checked: on, onchange: (event) => turn(event.target.checked) }),
    el("span", { text }),
  );

/**
 * A page of its own with a way back.
 * @param {string} title
 * @param {() => void} back
 * @param {import("../render.js").Child[]} body
 */
export const sheet = (title, back, ...body) =>
  el(
    "article",
    { class: "sheet" },
    el(
      "header",
      { class: "sheet-head" },
      button("←", back, { class: "quiet", "aria-label": t("toLobby"), title: t("toLobby") }),
      el("h1", { text: title }),
    ),
    body,
  );
