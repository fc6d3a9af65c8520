// The page of `heartlab ggp play GAME --browser`: a match, its moments, what the tree thinks, and a list of matches;
// and of `heartlab ggp match` and `tournament` with `--browser`, where a manager plays them and nobody moves here.
import { el, render } from "../render.js";
import { apply } from "../options.js";
import { busyText } from "../views/parts.js";
import { makeStore } from "../store.js";
import { decimal, t } from "../texts.js";
import { boardView, factsView, movesFrom, movesTo, pilesView } from "./board.js";
import { lineText, mishapList, mishapsView, progressView, standingsView } from "./live.js";

/** @typedef {import("./board.js").Move} Move */
/**
 * @typedef {object} Frame
 * @property {import("./board.js").Picture} picture
 * @property {string[]} moves
 * @property {number[][]} places
 * @property {Move[]} legal
 * @property {(number | null)[] | null} goals
 * @property {import("./live.js").Mishap[]} mishaps
 */
/**
 * @typedef {object} Line
 * @property {number} match
 * @property {number | null} role
 * @property {string} opponent
 * @property {number} moves
 * @property {(number | null)[] | null} goals
 * @property {string[]} players of a manager
 * @property {number} mishaps
 * @property {string} game of a manager
 * @property {boolean} kept whether it can be shown
 */
/**
 * @typedef {object} Game
 * @property {string} name
 * @property {string[]} roles
 * @property {string} machine
 * @property {Record<string, string>} players
 * @property {string} opponent
 * @property {Line[]} matches
 * @property {number} total matches of a manager; 0 if people play
 * @property {number} played
 * @property {Record<string, string[]>} games of a manager, with their roles
 * @property {import("./live.js").Standing[]} standings of a tournament
 * @property {number} before matches of a tournament that were played before
 */
/** @typedef {{ text: string, value: number, tried: number, learned: number | null, feature: string }} Opinion */
/**
 * @typedef {object} State
 * @property {Game | null} game
 * @property {number | null} match
 * @property {string} name of its game, if a manager plays it
 * @property {number | null} role
 * @property {Frame[]} frames
 * @property {number} at the moment that is shown
 * @property {number[] | null} picked
 * @property {boolean} busy a move was said
 * @property {boolean} beginning a match was asked for
 * @property {boolean} following the match that a manager plays is shown, and then the next
 * @property {{ at: number, role: number, moves: Opinion[] } | "busy" | null} thought
 * @property {string} failed
 * @property {boolean} lost
 */

const stage = /** @type {HTMLElement} */ (document.getElementById("stage"));
const speech = /** @type {HTMLElement} */ (document.getElementById("say"));
const store = makeStore(
  /** @type {State} */ ({
    game: null,
    match: null,
    name: "",
    role: null,
    frames: [],
    at: 0,
    picked: null,
    busy: false,
    beginning: false,
    following: true,
    thought: null,
    failed: "",
    lost: false,
  }),
);
const { update } = store;
const key = location.hash.slice(1);
/** @type {WebSocket} */
let socket;

/** @param {Record<string, unknown>} message */
const say = (message) => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ key, ...message }));
  else update({ lost: true });
};

/** What each message of the server changes. @type {Record<string, (message: any) => void>} */
const heard = {
  game: (message) => update({ game: message, failed: "" }),
  frames({ match, first, role, frames, game }) {
    const now = store.now,
      same = now.match === match && first <= now.frames.length;
    if (!same && first > 0) return;
    const before = same ? now.frames.slice(0, first) : [],
      live = !same || now.at >= now.frames.length - 1;
    const all = [...before, ...frames];
    update({
      match,
      name: game,
      role,
      frames: all,
      busy: false,
      beginning: false,
      picked: null,
      at: live ? all.length - 1 : now.at,
      ...(live ? { thought: null } : {}),
    });
    speech.textContent = sentence(store.now, all.at(-1));
  },
  thought: ({ match, ...rest }) => update(match === store.now.match ? { thought: rest } : {}),
  failed: ({ text }) => update({ failed: text, busy: false, beginning: false, thought: null }),
};

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws`);
  socket.onopen = () => {
    update({ lost: false });
    const { match, game, following } = store.now;
    say({ type: "show", ...(match === null || (game?.total && following) ? {} : { match }) });
  };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    heard[message.type]?.(message);
  };
  socket.onclose = () => {
    update({ lost: true, busy: false, beginning: false });
    setTimeout(connect, 1500);
  };
}

// --- what the person does ---

/** @param {Move} move */
function play(move) {
  const { match, frames, busy } = store.now,
    number = frames.at(-1)?.legal.indexOf(move) ?? -1;
  if (busy || number < 0) return;
  update({ busy: true, picked: null, failed: "" });
  say({ type: "move", match, at: frames.length - 1, number });
}

/** A click on a square: a move, the beginning of one, or another beginning. @param {number} x @param {number} y */
function pick(x, y) {
  const { frames, picked, at } = store.now,
    legal = at === frames.length - 1 ? (frames.at(-1)?.legal ?? []) : [];
  const from = picked ? movesFrom(legal, picked[0], picked[1]) : legal.filter(({ source }) => !source);
  const found = movesTo(from, x, y);
  if (found.length === 1) play(found[0]);
  else if (found.length > 1) update({ failed: t("gdl.several") });
  else update({ picked: movesFrom(legal, x, y).length ? [x, y] : null });
}

/** Go to a moment; who goes back stays with this match. @param {number} at */
function step(at) {
  const { frames, game, following, match } = store.now,
    last = frames.length - 1,
    stays = Boolean(game?.total) && following && at < last;
  update({
    at: Math.max(0, Math.min(at, last)),
    picked: null,
    thought: null,
    ...(stays ? { following: false } : {}),
  });
  if (stays) say({ type: "show", match });
}

/** Look at a match of the list, or without one at that which a manager plays. @param {number} [match] */
function look(match) {
  update({ match: null, frames: [], thought: null, failed: "", following: match === undefined });
  say({ type: "show", ...(match === undefined ? {} : { match }) });
}

/** @param {Event} event */
function begin(event) {
  event.preventDefault();
  if (store.now.beginning) return;
  const data = new FormData(/** @type {HTMLFormElement} */ (event.target)),
    role = String(data.get("role"));
  update({ beginning: true, failed: "" });
  say({ type: "begin", role: role === "watch" ? null : Number(role), opponent: String(data.get("opponent")) });
}

function think() {
  const { match, at } = store.now;
  update({ thought: "busy" });
  say({ type: "think", match, at });
}

// --- how it is drawn ---

/** The game of the match that is shown. @param {State} state @returns {Game | null} */
function shownGame({ game, name }) {
  const roles = game?.games[name];
  return game && roles ? { ...game, name, roles } : game;
}

/** What happened and what is expected. @param {State} state @param {Frame | undefined} frame */
function sentence(state, frame) {
  const game = shownGame(state);
  if (!frame || !game) return "";
  const { role } = state,
    { roles } = game;
  const done = frame.moves.map((move, number) => `${roles[number]}: ${move}`).join(", ");
  if (frame.goals) {
    const goals = frame.goals.map((goal, number) => `${roles[number]} ${goal ?? "?"}`).join(", "),
      end = frame.goals.every((goal) => goal === null) ? t("gdl.noResult") : t("gdl.end", { goals });
    return `${end} ${done}`;
  }
  if (role === null) return done || t("gdl.begins");
  return `${done ? `${done}. ` : ""}${frame.legal.length ? t("gdl.yours") : t("gdl.wait")}`;
}

/** @param {State} state @param {Game} game */
const startForm = (state, game) =>
  el(
    "form",
    { class: "start", onsubmit: begin },
    el("h2", { text: t("gdl.new") }),
    el(
      "label",
      { class: "field" },
      el("span", { text: t("gdl.role") }),
      el(
        "select",
        { name: "role" },
        game.roles.map((name, number) => el("option", { key: name, value: number, text: name })),
        el("option", { key: "watch", value: "watch", text: t("gdl.watch") }),
      ),
    ),
    el(
      "label",
      { class: "field" },
      el("span", { text: t("gdl.others") }),
      el(
        "select",
        { name: "opponent", value: game.opponent },
        Object.entries(game.players).map(([name, note]) =>
          el("option", { key: name, value: name, text: name, title: note }),
        ),
      ),
    ),
    el("button", {
      type: "submit",
      class: "main",
      text: state.match === null ? t("gdl.begin") : t("gdl.again"),
      disabled: state.beginning || state.lost,
    }),
  );

/** What a learner knows of a move: its value and the feature behind it. @param {Opinion} one */
const learnedText = ({ learned, feature }) => [learned?.toFixed(0), feature].filter(Boolean).join("  ");

/** @param {State} state @param {Game} game */
function opinionView({ thought, match }, game) {
  if (match === null) return null;
  const learned =
    thought !== null && thought !== "busy" && thought.moves.some((one) => one.learned !== null || one.feature);
  const body =
    thought === "busy"
      ? el("p", { class: "busy", role: "status", text: t("gdl.thinking") })
      : thought &&
        el(
          "table",
          { class: "opinion" },
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              el("th", { scope: "col", text: t("gdl.moveOf", { role: game.roles[thought.role] }) }),
              el("th", { scope: "col", text: t("gdl.goal") }),
              el("th", { scope: "col", text: "" }),
              learned && el("th", { scope: "col", text: t("gdl.learned") }),
            ),
          ),
          el(
            "tbody",
            {},
            thought.moves.map((one) =>
              el(
                "tr",
                { key: one.text, title: t("gdl.tried", { n: one.tried }) },
                el("td", { text: one.text }),
                el("td", { text: decimal(one.value, 1) }),
                el("td", { class: "bar-cell" }, el("span", { class: "meter", vars: { share: `${one.value}%` } })),
                learned && el("td", { class: "learned", text: learnedText(one) }),
              ),
            ),
          ),
        );
  return el(
    "section",
    { key: "opinion" },
    el("h2", { text: t("gdl.opinion") }),
    el("button", { type: "button", text: t("gdl.ask"), disabled: thought === "busy", onclick: think }),
    body,
    thought && thought !== "busy" && !thought.moves.length && el("p", { class: "dim", text: t("gdl.overHere") }),
  );
}

/** @param {State} state @param {Game} game */
const listView = (state, game) =>
  game.matches.length > 0 &&
  el(
    "section",
    { key: "list" },
    el("h2", { text: t("gdl.matches") }),
    el(
      "ul",
      { class: "list" },
      game.matches.map((one) => {
        const result = one.goals ? one.goals.map((goal) => goal ?? "?").join(" : ") : t("gdl.soFar", { n: one.moves });
        const who = one.role === null ? t("gdl.watched") : t("gdl.as", { role: game.roles[one.role] });
        return el(
          "li",
          { key: one.match },
          el("button", {
            type: "button",
            class: one.match === state.match ? "now" : "",
            disabled: !one.kept,
            title: one.kept ? null : t("gdl.resultOnly"),
            text: game.total ? lineText(game, one, result) : `${one.match + 1}. ${who}, ${one.opponent}: ${result}`,
            onclick: () => look(one.match),
          }),
        );
      }),
    ),
  );

/** The match at the moment that is shown. @param {State} state @param {Game} game */
function matchView(state, game) {
  const frame = state.frames[state.at];
  if (!frame && state.failed) return el("p", { class: "status", role: "alert", text: state.failed });
  if (!frame && state.beginning) return busyText(t("gdl.preparing"));
  if (!frame) return el("p", { class: "dim", text: t(game.total ? "gdl.soon" : "gdl.none") });
  const last = state.frames.length - 1,
    live = state.at === last,
    legal = live && !state.busy ? frame.legal : [];
  return [
    el(
      "div",
      { key: "boards", class: "boards" },
      frame.picture.boards.map((board, index) =>
        boardView(board, index ? [] : legal, index ? [] : frame.places, index ? null : state.picked, pick),
      ),
    ),
    pilesView(frame.picture.piles),
    el("p", { key: "status", class: "status", role: "status", text: state.failed || sentence(state, frame) }),
    mishapsView(game, frame),
    last > 0 &&
      el(
        "div",
        { key: "slider", class: "slider" },
        el("button", { type: "button", text: "◀", "aria-label": t("replay.back"), onclick: () => step(state.at - 1) }),
        el("input", {
          type: "range",
          min: 0,
          max: last,
          value: state.at,
          "aria-label": t("gdl.moment", { n: state.at, of: last }),
          oninput: (event) => step(Number(event.target.value)),
        }),
        el("button", {
          type: "button",
          text: "▶",
          "aria-label": t("replay.forward"),
          onclick: () => step(state.at + 1),
        }),
      ),
    legal.length > 0 &&
      el(
        "div",
        { key: "moves", class: "moves", role: "group", "aria-label": t("gdl.moves") },
        legal.map((move) =>
          el("button", { key: move.text, type: "button", text: move.text, onclick: () => play(move) }),
        ),
      ),
    factsView(frame.picture.facts),
  ];
}

store.listen((state) => {
  const game = shownGame(state);
  stage.dataset.ready = String(!state.busy && !state.beginning && !state.lost);
  stage.dataset.moments = String(state.frames.length);
  const text = state.failed || (state.lost ? t("line.lost") : t("connecting"));
  render(
    stage,
    game
      ? el(
          "div",
          { key: "gdl", class: "gdl" },
          el(
            "section",
            { key: "match" },
            el("h1", { text: game.name }),
            state.lost && el("p", { class: "status", role: "alert", text }),
            matchView(state, game),
          ),
          el(
            "aside",
            { key: "side", "aria-label": t("gdl.side") },
            standingsView(game),
            game.total ? progressView(game, state.following, () => look()) : startForm(state, game),
            game.played === game.total && opinionView(state, game),
            listView(state, game),
            mishapList(game, state.frames, step),
          ),
        )
      : el("p", { key: "wait", class: "lost", text }),
  );
});
apply();
update({});
connect();
