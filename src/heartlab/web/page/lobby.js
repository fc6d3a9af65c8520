// The lobby: who plays, by which rules; watching; records; puzzles and level.
import { el } from "./dom.js";
import { choose, options } from "./options.js";
import { back, face } from "./cards.js";

const KEPT = "heartlab-lobby";

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

/** Draw the lobby. `actions`: start, describe, read, puzzle, level, open. Gives back what hears the rules described. */
export function drawLobby(root, hello, actions, tables) {
  const kept = remembered();
  const form = el("form", { class: "lobby-form" });
  const rules = el("select", { name: "rules" }, hello.rules.map((one) => el("option", { value: one.name, text: `${one.name}: ${one.note}`, selected: one.name === (kept.rules ?? "standard") })));
  const changes = el("input", { name: "changes", value: kept.changes ?? "", maxlength: 250, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "players=5,moon=choice" });
  const seats = el("div", { class: "seats" });
  const wanted = () => [rules.value, changes.value.trim()].filter(Boolean).join(",");
  let known = { rules: rules.value, players: hello.rules.find((one) => one.name === rules.value).players };
  let waiting = null; // whether to play or to watch, once the server has said how many sit down
  const choice = (name, wanted) => el("select", { name }, hello.opponents.map((one) =>
    el("option", { value: one.name, text: `${one.level} (${one.name})`, title: one.note, selected: one.name === wanted })));
  const fillSeats = () => {
    const usual = ["gnome", "gnome:jake", "gnome:peter", "gnome", "gnome"];
    const chosen = [...seats.querySelectorAll("select")].map((one) => one.value);
    seats.replaceChildren(...Array.from({ length: known.players - 1 }, (_, seat) =>
      el("label", { class: "field" }, el("span", { text: `Seat ${seat + 1}` }), choice("player", chosen[seat] ?? kept.players?.[seat] ?? usual[seat]))));
  };
  /** The seats follow the rules: a preset's are known, changes are described by the server. */
  const followRules = () => {
    waiting = null;
    const preset = hello.rules.find((one) => one.name === wanted());
    if (preset) described({ rules: preset.name, players: preset.players }); else actions.describe(wanted());
  };
  const described = (answer) => {
    if (answer.rules !== wanted()) return;
    const same = answer.players === known.players;
    known = answer;
    if (!same) fillSeats();
    if (waiting && same) begin(waiting.watch);
    else if (waiting) actions.tell(`These rules have ${answer.players} seats: choose who sits there.`);
    waiting = null;
  };
  rules.addEventListener("change", followRules);
  changes.addEventListener("change", followRules);
  fillSeats();
  if (changes.value) followRules();
  const start = (event, watch) => {
    event.preventDefault();
    if (!form.reportValidity()) return;
    if (known.rules === wanted()) { begin(watch); return; }
    waiting = { watch };
    actions.describe(wanted());
  };
  const begin = (watch) => {
    const players = [...form.querySelectorAll("select[name=player]")].map((one) => one.value);
    const seed = form.elements.seed.value.trim();
    const name = form.elements.person.value.trim() || "You";
    choose("name", name);
    try {
      localStorage.setItem(KEPT, JSON.stringify({ rules: rules.value, changes: changes.value.trim(), players, instead: form.elements.instead.value }));
    } catch { /* not kept */ }
    actions.start({
      rules: wanted(), players: watch ? [form.elements.instead.value, ...players] : players, name, watch,
      practice: form.elements.practice.checked, seed: seed === "" ? null : Number(seed),
    });
  };
  form.append(
    el("h2", { text: "A new game" }),
    el("label", { class: "field" }, el("span", { text: "Your name" }), el("input", { name: "person", value: options.name, maxlength: 24, autocomplete: "off" })),
    el("label", { class: "field" }, el("span", { text: "Rules" }), rules),
    el("label", { class: "field" }, el("span", { text: "Changes of these rules (if you like)" }), changes), seats,
    el("div", { class: "pairs" },
      el("label", { class: "field" }, el("span", { text: "Seed (if you like)" }), el("input", { name: "seed", inputmode: "numeric", pattern: "[0-9]{1,15}", autocomplete: "off" })),
      el("label", { class: "switch" }, el("input", { type: "checkbox", name: "practice" }), el("span", { text: "Practice: cards can be taken back" }))),
    el("div", { class: "actions left" },
      el("button", { class: "main big", type: "submit", text: "Play" }),
      el("button", { type: "button", text: "Watch bots instead", onclick: (event) => start(event, true) }),
      el("label", { class: "inline" }, "on your seat ", choice("instead", kept.instead ?? "gnome"))));
  form.addEventListener("submit", (event) => start(event, false));
  const file = el("input", { type: "file", accept: ".hearts,.txt,.jsonl,.json", class: "unseen", id: "record-file", onchange: async (event) => {
    if (event.target.files[0]) actions.read(await event.target.files[0].text());
  } });
  root.replaceChildren(el("div", { class: "lobby" },
    el("div", { class: "welcome" },
      el("div", { class: "fan", "aria-hidden": "true" }, ["AC", "KD", "QS", "AH"].map((card) => el("i", {}, face(card))), el("i", {}, back())),
      el("h1", { text: "Hearts" }),
      el("p", { text: "Play against bots that know only their own cards, and ask a coach who says why." })),
    form,
    el("section", { class: "more" },
      tables.length > 0 && el("div", {}, el("h2", { text: "Go on" }), el("ul", { class: "plain" }, tables.map((one) =>
        el("li", {}, el("button", { type: "button", text: one.title, onclick: () => actions.open(one.key) }))))),
      el("h2", { text: "Learn" }),
      el("div", { class: "actions left" },
        el("button", { type: "button", text: "Puzzles from my mistakes", onclick: actions.puzzle }),
        el("button", { type: "button", text: "My level", onclick: actions.level })),
      el("h2", { text: "Look" }),
      el("div", { class: "actions left" }, file,
        el("button", { type: "button", text: "Open a record …", onclick: () => file.click() })),
      el("div", { id: "lobby-panel" }))));
  return { described, rules: wanted };
}
