// Matches of a manager, which nobody here plays: how far they are, the table of a tournament, and what went wrong.
import { el } from "../render.js";
import { decimal, t } from "../texts.js";

/** @typedef {{ role: number, kind: string, message: string, drawn: boolean }} Mishap */
/**
 * @typedef {object} Standing a player of a tournament
 * @property {string} name
 * @property {number} rating
 * @property {number[]} ci95
 * @property {number} won
 * @property {number} drawn
 * @property {number} lost
 * @property {number | null} mean
 */
/** @typedef {import("./main.js").Game} Game */
/** @typedef {import("./main.js").Frame} Frame */
/** @typedef {import("./main.js").Line} Line */

/** Whose it was. @param {Game} game @param {Mishap} mishap */
const who = (game, { role }) => game.roles[role] ?? game.name;

/** What went wrong on the way to a moment. @param {Game} game @param {Frame} frame */
export const mishapsView = (game, { mishaps }) =>
  mishaps.length > 0 &&
  el(
    "ul",
    { key: "mishaps", class: "mishaps", role: "status" },
    mishaps.map((one, index) => {
      const what = t("gdl.mishap", { who: who(game, one), kind: one.kind, message: one.message });
      return el("li", { key: index, text: one.drawn ? `${what} ${t("gdl.drawn")}` : what });
    }),
  );

/**
 * All moments of a match where something went wrong, to go there.
 * @param {Game} game
 * @param {Frame[]} frames
 * @param {(at: number) => void} step
 */
export function mishapList(game, frames, step) {
  const all = frames.flatMap((frame, at) => frame.mishaps.map((one) => ({ at, one })));
  return (
    all.length > 0 &&
    el(
      "section",
      { key: "mishap-list" },
      el("h2", { text: t("gdl.mishaps") }),
      el(
        "ul",
        { class: "list" },
        all.slice(0, 50).map(({ at, one }, index) =>
          el(
            "li",
            { key: index },
            el("button", {
              type: "button",
              "data-mishap": at,
              text: t(at ? "gdl.atMove" : "gdl.atStart", { n: at, who: who(game, one), kind: one.kind }),
              onclick: () => step(at),
            }),
          ),
        ),
      ),
    )
  );
}

/**
 * How far the manager is, and a way back to the match that it plays.
 * @param {Game} game
 * @param {boolean} following
 * @param {() => void} follow
 */
export const progressView = (game, following, follow) =>
  el(
    "section",
    { key: "progress" },
    el("h2", { text: t("gdl.live") }),
    el("p", { class: "played", role: "status", text: t("gdl.played", { n: game.played, of: game.total }) }),
    game.before > 0 && el("p", { class: "dim", text: t("gdl.before", { n: game.before }) }),
    game.played < game.total && el("p", { class: "dim", text: t("gdl.later") }),
    game.played < game.total &&
      el("button", { type: "button", class: "follow", disabled: following, text: t("gdl.follow"), onclick: follow }),
  );

/** The table of a tournament as it stands; ratings with half their 95 % interval. @param {Game} game */
export const standingsView = ({ standings }) =>
  standings.length > 0 &&
  el(
    "section",
    { key: "standings" },
    el("h2", { text: t("gdl.standings") }),
    el(
      "table",
      { class: "opinion standings" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          [t("gdl.player"), t("gdl.rating"), t("gdl.balance"), t("gdl.mean")].map((text) =>
            el("th", { key: text, scope: "col", text }),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        standings.map(({ name, rating, ci95, won, drawn, lost, mean }, place) =>
          el(
            "tr",
            { key: name },
            el("td", { text: `${place + 1}. ${name}` }),
            el("td", { text: `${rating.toFixed(0)} ± ${((ci95[1] - ci95[0]) / 2).toFixed(0)}` }),
            el("td", { text: `${won} / ${drawn} / ${lost}` }),
            el("td", { text: mean === null ? "–" : decimal(mean, 1) }),
          ),
        ),
      ),
    ),
  );

/** A match in the list. @param {Game} game @param {Line} line @param {string} result */
export function lineText(game, { match, players, mishaps, game: own }, result) {
  const several = Object.keys(game.games).length > 1;
  const names = players.map((name, role) => `${name} (${game.games[own]?.[role]})`).join(", ");
  const wrong = mishaps ? `, ${t("gdl.wrong", { n: mishaps })}` : "";
  return `${match + 1}. ${several ? `${own}, ` : ""}${names}: ${result}${wrong}`;
}
