// What the page knows and shows: one value, changed only by the store.
import { BEGINNING } from "./lesson.js";

/** @typedef {import("../protocol").View} View */
/** @typedef {import("../protocol").Incoming} Incoming */
/** @typedef {import("../protocol").Outgoing} Outgoing */
/** @typedef {"scores" | "last" | "count" | "hint" | "passing" | "check" | "review" | "friends" | "busy"} Panel */
/** @typedef {{ text: string, kind: "" | "warn", lasting: boolean }} Notice `lasting`: beyond the next card */
/** @typedef {{ text: string, yes: string, act: () => void }} Question */
/** @typedef {{ promise: string, share: string, expected: boolean, used: boolean }} Shared */
/** @typedef {{ house: string, table: string | null, page: string, rest: string }} Route */
/** @typedef {{ trick: [number, string][], winner: number | null, fresh: boolean }} Shown */
/**
 * Finished deals that are stepped through.
 * @typedef {object} Replay
 * @property {import("../protocol").Deals} deals
 * @property {number} number which of them
 * @property {number} at which moment
 * @property {boolean} running
 * @property {string} part
 * @property {any} [hint] what the coach says of the decision that is open, or that it thinks
 */
/**
 * What is chosen in the lobby for a game of one's own.
 * @typedef {object} Custom
 * @property {string} rules
 * @property {string} changes
 * @property {string[]} players
 * @property {string} instead
 * @property {string} seed
 * @property {boolean} practice
 * @property {number} seats as the rules that the server has described have them
 * @property {string} described those rules
 * @property {{ watch: boolean } | null} waiting what to do when the rules are described
 */
/**
 * @typedef {object} State
 * @property {Route} route
 * @property {import("../protocol").Hello | null} hello
 * @property {import("../protocol").Ready | null} ready
 * @property {"new" | "open" | "lost"} line
 * @property {string | null} table the key of the table that is open, or asked for
 * @property {View | null} view
 * @property {Shown} shown
 * @property {boolean} idle whether everything that has happened is shown
 * @property {boolean} stale what is shown is old: the line was lost
 * @property {string[]} chosen cards to be passed
 * @property {string | null} walked the card of the hand that was reached last
 * @property {Panel} panel
 * @property {any} answer what the panel shows
 * @property {boolean} why whether the reasons of a check are open
 * @property {boolean} sheet whether the panel is open on a narrow screen
 * @property {Record<string, import("../protocol").Reviewed>} reviews by table and deal
 * @property {Replay | null} replay
 * @property {{ view: import("../protocol").PuzzleView, graded: import("../protocol").Graded | null } | null} puzzle
 * @property {import("../protocol").Described | null} described
 * @property {Custom | null} custom
 * @property {string} panelText what the lobby has to say: puzzles, level
 * @property {boolean} starting a table was asked for
 * @property {Notice | null} notice
 * @property {Question | null} question
 * @property {"options" | "help" | null} dialog
 * @property {{ id: number, text: string }[]} said the last sentences for screen readers
 * @property {string} lost why nothing can be shown
 * @property {import("../protocol").PlayedGame[] | null} games the history
 * @property {import("../protocol").Compared | null} compared what others made of the daily deal
 * @property {{ step: number, picked: string[], verdict: string }} lesson
 * @property {string} find what is searched there
 * @property {string} against the strength that its charts are about, or `all`
 * @property {import("../protocol").LevelEstimate | null} level
 * @property {import("../protocol").MoonRisk | null} risk that somebody shoots the moon
 * @property {import("./verify.js").Check[] | string | null} checks of a proof; a text says why there are none
 * @property {import("../protocol").Room | null} room who is at a table of friends
 * @property {Record<number, import("../protocol").Reacted["what"]>} reactions what seats show just now
 * @property {{ seat: number, hands: string[] }} setup the hands of the analysis board, and who gets what is clicked
 * @property {string} moment something great has happened: `queen`, `moon` or `end`
 */

/** @param {Route} route @returns {State} */
export const initial = (route) => ({
  route,
  hello: null,
  ready: null,
  line: "new",
  table: null,
  view: null,
  shown: { trick: [], winner: null, fresh: false },
  idle: true,
  stale: false,
  chosen: [],
  walked: null,
  panel: "scores",
  answer: null,
  why: false,
  sheet: false,
  reviews: {},
  replay: null,
  puzzle: null,
  described: null,
  custom: null,
  panelText: "",
  starting: false,
  notice: null,
  question: null,
  dialog: null,
  said: [],
  lost: "",
  moment: "",
  games: null,
  setup: { seat: 0, hands: ["", "", "", ""] },
  lesson: BEGINNING,
  compared: null,
  find: "",
  against: "all",
  level: null,
  risk: null,
  checks: null,
  room: null,
  reactions: {},
});

/** What the stage shows. @param {State} state */
export function screenOf(state) {
  if (state.replay) return "replay";
  if (state.lost) return "lost";
  if (state.route.table) return state.view ? "game" : state.room ? "room" : "opening";
  if (state.puzzle) return "puzzle";
  // A link that holds a deal is still being read.
  if (!state.hello || state.route.page === "replay") return "opening";
  return state.route.page || (state.route.house ? "lobby" : "guest");
}

/** The rules that the page is about: those of the table, of the puzzle, or chosen in the lobby. @param {State} state */
export function rulesHere(state) {
  if (state.view) return state.view.rules;
  if (state.puzzle) return state.puzzle.view.rules;
  return state.custom ? wantedRules(state.custom) : "standard";
}

/** @param {Custom} custom */
export const wantedRules = (custom) => [custom.rules, custom.changes.trim()].filter(Boolean).join(",");

/**
 * Whether a view shows that a moon was shot: by its last card, or by the choice of who gets the points.
 * @param {Pick<View, "event" | "reveal">} view
 */
export const showsMoon = ({ event, reveal }) =>
  (event.kind === "over" || event.kind === "moon") && typeof reveal?.shooter === "number";

/** Cards that the coach recommends for the decision at hand. @param {State} state @returns {string[]} */
export function advised({ view, panel, answer }) {
  if (!view) return [];
  if (panel === "hint" && answer.at === view.plays + 1) {
    /** @type {import("../protocol").Judged[]} */
    const cards = answer.cards;
    return cards.filter((one) => one.equal).map((one) => one.card);
  }
  return panel === "passing" && view.phase === "pass" ? answer.sets[0].cards : [];
}

/**
 * Whether a view waits for a bot that may have to be compiled; people only think.
 * @param {import("../protocol").View} view
 * @param {Set<string>} warm players that have chosen a card here
 */
export function mayCompile({ phase, to_move: mover, people, players, plays, names }, warm) {
  const bot = mover && people[mover] !== "person";
  return phase === "play" && bot && plays < names.length && !warm.has(players[mover]);
}
