// Everything that is drawn: the view of each screen, and what lies over it.
import { el } from "../render.js";
import { screenOf } from "../state.js";
import { t } from "../texts.js";
import { noticeView } from "./dialogs.js";
import { analysisView } from "./analysis.js";
import { fairView } from "./fair.js";
import { gameView } from "./game.js";
import { historyView } from "./history.js";
import { learnView } from "./learn.js";
import { lobbyView } from "./lobby.js";
import { busyText, button } from "./parts.js";
import { puzzleView } from "./puzzle.js";
import { guestView, hostView, joinView, roomView } from "./room.js";
import { replayView } from "./viewer.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Acts} Acts */

/** @param {State} state @param {Acts} acts */
const lostView = (state, acts) =>
  el("div", { class: "lost" }, el("p", { text: state.lost }), button(t("toLobby"), acts.lobby, { class: "main" }));

/** @type {Record<string, (state: State, acts: Acts) => import("../render.js").Child>} */
const SCREENS = {
  game: gameView,
  replay: replayView,
  puzzle: puzzleView,
  lost: lostView,
  lobby: (state, acts) => lobbyView(state, acts, acts.tables()),
  learn: learnView,
  analysis: analysisView,
  history: historyView,
  fair: fairView,
  friends: hostView,
  join: joinView,
  guest: guestView,
  room: roomView,
  opening: () => el("div", { class: "lost" }, busyText(t("opening"))),
};
/** Screens with a status line that takes notices. */
const WITH_STATUS = ["game", "replay", "puzzle", "learn"];

/** The stage. @param {State} state @param {Acts} acts */
export function stageView(state, acts) {
  const screen = screenOf(state);
  return [
    WITH_STATUS.includes(screen) && el("h1", { key: "title", class: "unseen", text: t("title") }),
    (SCREENS[screen] ?? SCREENS.lobby)(state, acts),
    !WITH_STATUS.includes(screen) && noticeView(state),
  ];
}
