// The lobby: one button to play, how strong the others are, and everything else under "More".
import { el } from "../render.js";
import { face, sign } from "../cards.js";
import { options } from "../options.js";
import { called, playerText, presetText, some, t } from "../texts.js";
import { button, field, segments } from "./parts.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Acts} Acts */
/** @typedef {import("../../protocol").Hello} Hello */

/** How far the compilation of the players is; nothing once it is done. @param {State} state */
export function readiness({ ready, starting }) {
  // The table comes first: once it is prepared, whoever has pressed Play waits for nothing else.
  if (!ready || ready.done >= ready.of || (starting && ready.done > 0))
    return starting ? el("p", { class: "busy", role: "status", text: t("lobby.dealing") }) : null;
  return el(
    "div",
    { class: "readying", role: "status" },
    el("progress", { max: ready.of, value: ready.done, "aria-label": t("ready.label") }),
    el("p", {
      class: "dim",
      text: t(starting ? "ready.wait" : "ready.text", {
        what: some(`ready.${ready.what}`),
        done: ready.done,
        of: ready.of,
      }),
    }),
  );
}

/** How strong the others are. @param {Hello} hello @param {Acts} acts */
export const levels = (hello, acts) =>
  segments(
    "level",
    t("lobby.opponents"),
    options.level,
    hello.levels.map(({ name }) => [name, some(`level.${name}`)]),
    acts.level,
  );

/** @param {State} state @param {Acts} acts @param {{ key: string, title: string }[]} tables */
function hero(state, acts, tables) {
  const hello = /** @type {Hello} */ (state.hello);
  return el(
    "section",
    { class: "hero", "aria-label": t("lobby.play") },
    el(
      "div",
      { class: "fan", "aria-hidden": "true" },
      ["2C", "KD", "QS", "JC", "AH"].map((card) => el("i", { key: card }, face(card))),
    ),
    el("h1", { text: "Hearts" }),
    el("p", { class: "tagline", text: t("lobby.tagline") }),
    levels(hello, acts),
    el("p", { class: "level-note dim", text: some(`level.${options.level}.note`) }),
    el("button", {
      type: "button",
      class: "main big play",
      disabled: state.starting,
      text: t("lobby.play"),
      onclick: acts.playNow,
    }),
    readiness(state),
    tables.length > 0 &&
      el(
        "button",
        {
          type: "button",
          class: "continue",
          onclick: () => acts.openTable(tables[0].key),
        },
        el("strong", { text: t("lobby.continue") }),
        el("span", { text: tables[0].title }),
      ),
  );
}

/**
 * Something that the lobby offers: a button whose name is its title, with a picture and a line about it.
 * @param {"learn" | "daily" | "friends" | "puzzles" | "history" | "analysis" | "fair" | "own"} name
 * @param {string} title
 * @param {() => void} act
 */
const tile = (name, title, act) =>
  el(
    "div",
    { key: name, class: "tile" },
    sign(name, "tile-sign"),
    button(title, act, { class: "quiet" }),
    el("p", { class: "dim", text: t(`tile.${name}`) }),
  );

/** @param {Hello} hello @param {string} name @param {string} value @param {string | number} key */
const playerChoice = (hello, name, value, key) =>
  el(
    "select",
    { name, value, key },
    hello.opponents.map((one) =>
      el("option", { key: one.name, value: one.name, text: `${playerText(one)} (${one.name})`, title: one.note }),
    ),
  );

/** A game of one's own: rules, seats, seed, practice; or bots alone. @param {State} state @param {Acts} acts */
function custom(state, acts) {
  const hello = /** @type {Hello} */ (state.hello),
    form = /** @type {import("../state.js").Custom} */ (state.custom);
  const { limits } = hello,
    digits = String(limits.seed).length - 1;
  return el(
    "form",
    { class: "lobby-form", onsubmit: (event) => acts.startCustom(event, false) },
    el("h2", { text: t("custom") }),
    field(
      t("custom.name"),
      el("input", {
        name: "person",
        value: options.name === "You" ? "" : options.name,
        placeholder: called("You"),
        maxlength: limits.name,
        autocomplete: "off",
      }),
    ),
    field(
      t("custom.rules"),
      el(
        "select",
        { name: "rules", value: form.rules, onchange: acts.changeRules },
        hello.rules.map((one) => el("option", { key: one.name, value: one.name, text: presetText(one) })),
      ),
    ),
    field(
      t("custom.changes"),
      el("input", {
        name: "changes",
        value: form.changes,
        maxlength: limits.rules - 50,
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: "false",
        placeholder: "players=5,moon=choice",
        onchange: acts.changeRules,
      }),
    ),
    el(
      "div",
      { class: "seats" },
      Array.from({ length: form.seats - 1 }, (_, seat) =>
        el(
          "label",
          { key: seat, class: "field" },
          el("span", { text: t("seat", { n: seat + 1 }) }),
          playerChoice(hello, "player", form.players[seat], seat),
        ),
      ),
    ),
    el(
      "div",
      { class: "pairs" },
      field(
        t("custom.seed"),
        el("input", {
          name: "seed",
          inputmode: "numeric",
          pattern: `[0-9]{1,${digits}}`,
          title: t("custom.seedForm", { n: digits }),
          autocomplete: "off",
          value: form.seed,
        }),
      ),
      el(
        "label",
        { class: "switch" },
        el("input", { type: "checkbox", name: "practice", checked: form.practice }),
        el("span", { text: t("custom.practice") }),
      ),
    ),
    el(
      "div",
      { class: "actions left" },
      el("button", { class: "main start", type: "submit", text: t("custom.play"), disabled: state.starting }),
      button(t("custom.watch"), (event) => acts.startCustom(event, true), { disabled: state.starting }),
      el(
        "label",
        { class: "inline" },
        t("custom.instead"),
        " ",
        playerChoice(hello, "instead", form.instead, "instead"),
      ),
    ),
  );
}

/** @param {Acts} acts @param {{ key: string, title: string }[]} tables */
function goOn(acts, tables) {
  return (
    tables.length > 1 &&
    el(
      "section",
      { class: "go-on" },
      el("h2", { text: t("lobby.tables") }),
      el(
        "ul",
        { class: "plain" },
        tables.map((one) =>
          el(
            "li",
            { key: one.key },
            button(one.title, () => acts.openTable(one.key)),
            button("×", () => acts.forgetTable(one.key), {
              class: "quiet",
              "aria-label": t("lobby.forget", { title: one.title }),
            }),
          ),
        ),
      ),
    )
  );
}

/**
 * The lobby.
 * @param {State} state
 * @param {Acts} acts
 * @param {{ key: string, title: string }[]} tables that this browser knows
 */
export function lobbyView(state, acts, tables) {
  return el(
    "div",
    { key: "lobby", class: "lobby" },
    hero(state, acts, tables),
    el(
      "nav",
      { class: "tiles", "aria-label": t("lobby.offers") },
      tile("learn", t("lobby.learn"), () => acts.visit("learn")),
      tile("daily", t("lobby.daily"), acts.daily),
      tile("friends", t("friends"), () => acts.visit("friends")),
      tile("puzzles", t("lobby.puzzles"), acts.puzzle),
      tile("history", t("lobby.history"), () => acts.visit("history")),
      tile("analysis", t("lobby.analysis"), () => acts.visit("analysis")),
      tile("fair", t("lobby.fair"), () => acts.visit("fair")),
      tile("own", t("custom"), acts.showMore),
    ),
    el("div", { id: "lobby-panel", role: "status" }, state.panelText && el("p", { text: state.panelText })),
    el(
      "details",
      { key: "more", class: "more", ontoggle: acts.openMore },
      el("summary", { text: t("lobby.more") }),
      goOn(acts, tables),
      state.custom && custom(state, acts),
      el(
        "section",
        {},
        el("h2", { text: t("lobby.records") }),
        el("p", { class: "dim", text: t("lobby.recordsNote") }),
        el(
          "label",
          { class: "file" },
          el("span", { text: t("lobby.open") }),
          el("input", {
            type: "file",
            id: "record-file",
            accept: ".hearts,.txt,.jsonl,.json",
            onchange: acts.openFile,
          }),
        ),
      ),
    ),
  );
}
