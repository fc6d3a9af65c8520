// What a person likes: pace, colours, theme. Kept in this browser. And the help dialog.
import { dialog, el, keep, mayBe, recall } from "./dom.js";

/** @typedef {import("../protocol").Described} Described */

const KEY = "heartlab-options";
const DEFAULTS = {
  pace: "550", hold: "2", auto: false, check: false, fourColours: true, theme: "system", motion: "system", name: "You",
};
/** @type {Record<string, [string, [string, string][]]>} */
const CHOICES = {
  pace: ["Pace of the cards", [["150", "Quick"], ["550", "Comfortable"], ["1100", "Slow"]]],
  hold: ["A finished trick stays", [
    ["1", "Briefly"], ["2", "A while"], ["4", "Long"], ["click", "Until I click or press Enter"]]],
  theme: ["Colours of the page", [["system", "As the system"], ["light", "Light"], ["dark", "Dark"]]],
  motion: ["Movement", [["system", "As the system"], ["none", "None"]]],
};
const SWITCHES = {
  auto: "Play a single legal card by itself",
  check: "Blunder check: tell me when there was something better",
  fourColours: "Four colours for the four suits",
};
const KEYS = [
  ["← →", "walk through your hand"], ["Enter or Space", "play the card; choose it to pass"],
  ["P", "pass the chosen cards"], ["Enter", "go on after a trick"], ["L", "last trick"], ["H", "hint"],
  ["C", "count cards"], ["K", "check my last card"], ["U", "take back (practice)"],
  ["F", "finish when nothing counts any more"], ["N", "next deal"], ["S", "scores"],
  ["1 2", "what your moon does, if the rules ask"], ["?", "this help"],
];
const NOT_RIGGED = "The seed of a deal is made from a secret of the server, promised first by its hash, and from a"
  + " random text of your browser (unless you give a seed). Before the first card the page shows a hash of the deal."
  + " Afterwards you can save the whole deal with its seed and salt and check it with: heartlab verify FILE"
  + " --commitment HASH. The bots get only what their seat may know.";

/** @type {typeof DEFAULTS & Record<string, string | boolean>} */
export const options = { ...DEFAULTS, ...recall(KEY) };

/** Keep a choice and follow it. @param {string} name @param {string | boolean} value */
export function choose(name, value) {
  Object.assign(options, { [name]: value });
  keep(KEY, options);
  apply();
}

/** Put the options on the page. */
export function apply() {
  const root = document.documentElement.dataset;
  root.theme = options.theme;
  root.colours = options.fourColours ? "four" : "two";
  root.motion = options.motion;
}

/** Whether things may move. */
export const moves = () =>
  options.motion !== "none" && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Show the dialog. */
export function showOptions() {
  const box = dialog("options");
  box.replaceChildren(
    el("h2", { text: "Options" }),
    ...Object.entries(CHOICES).map(([name, [title, values]]) =>
      el("label", { class: "field" }, el("span", { text: title }),
        el("select", { name, onchange: (event) => choose(name, event.target.value) },
          values.map(([value, text]) => el("option", { value, text, selected: String(options[name]) === value }))))),
    ...Object.entries(SWITCHES).map(([name, title]) =>
      el("label", { class: "switch" },
        el("input", {
          type: "checkbox", name, checked: options[name], onchange: (event) => choose(name, event.target.checked),
        }),
        el("span", { text: title }))),
    el("form", { method: "dialog" }, el("button", { class: "main", text: "Done" })),
  );
  box.showModal();
}

/** How Hearts is played under some rules, if the server has said it. @param {Described | null} described */
function how(described) {
  return described ? el("ul", { class: "words" }, described.how.map((text) => el("li", { text })))
    : el("p", { class: "busy", text: "Asking the server …" });
}

/** Put what the server says about the rules into the open help. @param {Described} described */
export function describeHelp(described) {
  mayBe("how-rules")?.replaceChildren(`Rules: ${described.text}.`);
  mayBe("how")?.replaceChildren(how(described));
}

/** Show how it is played, and the keys. @param {Described | null} described */
export function showHelp(described) {
  const box = dialog("help");
  box.replaceChildren(
    el("h2", { text: "How Hearts is played", tabindex: "-1", autofocus: true }),
    el("p", { class: "dim", id: "how-rules", text: described ? `Rules: ${described.text}.` : "" }),
    el("div", { id: "how" }, how(described)),
    el("p", { text: "Beside each name: pt, points in this deal; tr, tricks in this deal; Σ, the total of the game." }),
    el("h2", { text: "Keys" }),
    el("dl", { class: "keys" },
      KEYS.map(([key, what]) => [el("dt", {}, el("kbd", { text: key })), el("dd", { text: what })])),
    el("h2", { text: "Nothing is rigged" }),
    el("p", { text: NOT_RIGGED }),
    el("form", { method: "dialog" }, el("button", { class: "main", text: "Done" })),
  );
  if (!box.open) box.showModal();
  box.scrollTop = 0;
}
