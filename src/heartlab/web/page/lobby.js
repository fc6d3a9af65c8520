// The lobby: who plays, by which rules; watching; records; puzzles and level.
import { el, keep, recall } from "./dom.js";
import { choose, options } from "./options.js";
import { back, face } from "./cards.js";

const KEPT = "heartlab-lobby";
const USUAL = ["gnome", "gnome:jake", "gnome:peter", "gnome", "gnome"];

/** @typedef {import("../protocol").Hello} Hello */
/** @typedef {{ rules: string, players: number }} Known */
/**
 * @typedef {object} Start
 * @property {string} rules
 * @property {string[]} players
 * @property {string} name
 * @property {boolean} watch
 * @property {boolean} practice
 * @property {number | null} seed
 */
/**
 * @typedef {object} Actions
 * @property {(settings: Start) => void} start
 * @property {(rules: string) => void} describe
 * @property {(text: string) => void} read
 * @property {() => void} puzzle
 * @property {() => void} level
 * @property {(key: string) => void} open
 * @property {(text: string) => void} tell
 */

/**
 * A choice among the players that the server offers.
 * @param {Hello} hello
 * @param {string} name
 * @param {string} wanted
 */
const playerChoice = (hello, name, wanted) => el("select", { name }, hello.opponents.map((one) =>
  el("option", {
    value: one.name, text: `${one.level} (${one.name})`, title: one.note, selected: one.name === wanted,
  })));

/**
 * The form of a new game. Returns it with what hears the rules described, and the rules that are chosen.
 * @param {Hello} hello
 * @param {Actions} actions
 */
function newGame(hello, actions) {
  const kept = recall(KEPT) ?? {}, { limits } = hello;
  /** @param {string} text @param {HTMLElement} node */
  const field = (text, node) => el("label", { class: "field" }, el("span", { text }), node);
  const rules = el("select", { name: "rules" }, hello.rules.map((one) =>
    el("option", {
      value: one.name, text: `${one.name}: ${one.note}`, selected: one.name === (kept.rules ?? "standard"),
    })));
  const changes = el("input", {
    name: "changes", value: kept.changes ?? "", maxlength: limits.rules - 50, autocomplete: "off",
    autocapitalize: "off", spellcheck: "false", placeholder: "players=5,moon=choice",
  });
  const person = el("input", { name: "person", value: options.name, maxlength: limits.name, autocomplete: "off" });
  const digits = String(limits.seed).length - 1;
  const seed = el("input", { name: "seed", inputmode: "numeric", pattern: `[0-9]{1,${digits}}`, autocomplete: "off" });
  const practice = el("input", { type: "checkbox", name: "practice" });
  const instead = playerChoice(hello, "instead", kept.instead ?? "gnome");
  const seats = el("div", { class: "seats" });
  const chosen = () => [...seats.querySelectorAll("select")].map((one) => one.value);
  const wanted = () => [rules.value, changes.value.trim()].filter(Boolean).join(",");
  /** @type {Known} */
  let known = { rules: rules.value, players: hello.rules.find((one) => one.name === rules.value)?.players ?? 4 };
  /** @type {{ watch: boolean } | null} whether to play or to watch, once the server has said how many sit down */
  let waiting = null;
  const fillSeats = () => {
    const before = chosen();
    seats.replaceChildren(...Array.from({ length: known.players - 1 }, (_, seat) => field(`Seat ${seat + 1}`,
      playerChoice(hello, "player", before[seat] ?? kept.players?.[seat] ?? USUAL[seat]))));
  };
  /** The seats follow the rules: a preset's are known, changes are described by the server. */
  const followRules = () => {
    waiting = null;
    const preset = hello.rules.find((one) => one.name === wanted());
    if (preset) described({ rules: preset.name, players: preset.players }); else actions.describe(wanted());
  };
  /** @param {Known} answer */
  const described = (answer) => {
    if (answer.rules !== wanted()) return;
    const same = answer.players === known.players;
    known = answer;
    if (!same) fillSeats();
    if (waiting && same) begin(waiting.watch);
    else if (waiting) actions.tell(`These rules have ${answer.players} seats: choose who sits there.`);
    waiting = null;
  };
  /** @param {Event} event @param {boolean} watch */
  const start = (event, watch) => {
    event.preventDefault();
    if (!form.reportValidity()) return;
    if (known.rules === wanted()) { begin(watch); return; }
    waiting = { watch };
    actions.describe(wanted());
  };
  /** @param {boolean} watch */
  const begin = (watch) => {
    const players = chosen(), name = person.value.trim() || "You";
    choose("name", name);
    keep(KEPT, { rules: rules.value, changes: changes.value.trim(), players, instead: instead.value });
    actions.start({
      rules: wanted(), players: watch ? [instead.value, ...players] : players, name, watch, practice: practice.checked,
      seed: seed.value.trim() === "" ? null : Number(seed.value.trim()),
    });
  };
  const form = el("form", { class: "lobby-form", onsubmit: (event) => start(event, false) },
    el("h2", { text: "A new game" }),
    field("Your name", person), field("Rules", rules), field("Changes of these rules (if you like)", changes), seats,
    el("div", { class: "pairs" },
      field("Seed (if you like)", seed),
      el("label", { class: "switch" }, practice, el("span", { text: "Practice: cards can be taken back" }))),
    el("div", { class: "actions left" },
      el("button", { class: "main big", type: "submit", text: "Play" }),
      el("button", { type: "button", text: "Watch bots instead", onclick: (event) => start(event, true) }),
      el("label", { class: "inline" }, "on your seat ", instead)));
  rules.addEventListener("change", followRules);
  changes.addEventListener("change", followRules);
  fillSeats();
  if (changes.value) followRules();
  return { form, described, rules: wanted };
}

/**
 * Draw the lobby. Returns what hears the rules described, and the rules that are chosen.
 * @param {HTMLElement} root
 * @param {Hello} hello
 * @param {Actions} actions
 * @param {{ key: string, title: string }[]} tables
 */
export function drawLobby(root, hello, actions, tables) {
  const { form, described, rules } = newGame(hello, actions);
  /** @param {string} text @param {() => void} act */
  const button = (text, act) => el("button", { type: "button", text, onclick: act });
  const file = el("input", {
    type: "file", accept: ".hearts,.txt,.jsonl,.json", class: "unseen", id: "record-file",
    onchange: async (event) => { if (event.target.files[0]) actions.read(await event.target.files[0].text()); },
  });
  root.replaceChildren(el("div", { class: "lobby" },
    el("div", { class: "welcome" },
      el("div", { class: "fan", "aria-hidden": "true" },
        ["AC", "KD", "QS", "AH"].map((card) => el("i", {}, face(card))), el("i", {}, back())),
      el("h1", { text: "Hearts" }),
      el("p", { text: "Play against bots that know only their own cards, and ask a coach who says why." })),
    form,
    el("section", { class: "more" },
      tables.length > 0 && el("div", {}, el("h2", { text: "Go on" }), el("ul", { class: "plain" },
        tables.map((one) => el("li", {}, button(one.title, () => actions.open(one.key)))))),
      el("h2", { text: "Learn" }),
      el("div", { class: "actions left" },
        button("Puzzles from my mistakes", actions.puzzle), button("My level", actions.level)),
      el("h2", { text: "Look" }),
      el("div", { class: "actions left" }, file, button("Open a record …", () => file.click())),
      el("div", { id: "lobby-panel" }))));
  return { described, rules };
}
