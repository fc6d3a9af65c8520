// The page's beginning: the store, the line to the server, the renderer, and the keys.
import { sign, suitIcon } from "./cards.js";
import { makeActs } from "./actions.js";
import { makeHeard, reviewName } from "./heard.js";
import { BEGINNING } from "./lesson.js";
import { Line } from "./line.js";
import { makeMotion } from "./motion.js";
import { apply, language, options, sounds } from "./options.js";
import { Pace } from "./pace.js";
import { render, el } from "./render.js";
import { routeHere } from "./routes.js";
import { makeSound } from "./sound.js";
import { initial, mayCompile, rulesHere, screenOf, showsMoon } from "./state.js";
import { makeStore } from "./store.js";
import { t } from "./texts.js";
import { dialogView } from "./views/dialogs.js";
import { button } from "./views/parts.js";
import { stageView } from "./views/stage.js";
import { tell } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("../protocol").View} View */

/** An element of index.html. @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const stage = byId("stage"),
  dialog = /** @type {HTMLDialogElement} */ (byId("dialog"));
const store = makeStore(initial(routeHere()));
const { update } = store;

// --- the pace: what was heard is shown card by card ---

/** Players that have chosen a card since the page was opened: nothing has to be compiled for them any more. */
const warm = new Set();
let waiting = 0;

const pace = new Pace((view, shown) => {
  const before = store.now.view;
  update({ ...(view === before ? {} : taken(view, before)), shown, idle: pace.idle });
  if (view !== before) {
    acts.tell(tell(view));
    sound.view(view);
  }
  setTimeout(settled, 0);
  warnOfCompiling(view);
});
pace.rested = () => {
  acts.own.restedAt = performance.now();
  settled();
};

/** What a new view changes: what belonged to the one before goes. @param {View} view @param {View | null} before */
function taken(view, before) {
  const { panel, table, reviews, chosen } = store.now,
    dealt = before !== null && view.deal !== before.deal;
  const quiet = view.event.kind === "opened" || view.event.kind === "seats";
  const outdated = ["hint", "passing", "count", "check", "busy"].includes(panel) && !quiet;
  const review = reviews[reviewName(table, view.deal)];
  const back =
    before === null && view.reveal && review ? { panel: /** @type {const} */ ("review"), answer: review } : {};
  if (dealt) acts.own.checkedAt = acts.own.riskAt = -1;
  return {
    view,
    chosen: dealt || view.phase !== "pass" ? [] : chosen,
    moment: momentOf(view),
    // The warning of a moon is about one decision, and may name cards that are played by then.
    ...(view.phase === "play" && !dealt && store.now.risk?.at === view.plays ? {} : { risk: null }),
    ...(dealt || outdated ? { panel: /** @type {const} */ ("scores"), sheet: false } : {}),
    ...back,
    ...(quiet || store.now.notice?.lasting ? {} : { notice: null }),
  };
}

/** Something great that a view shows, with a name of its own. @param {View} view */
function momentOf(view) {
  const { event } = view;
  if (showsMoon(view)) return `moon-${view.deal}`;
  if (
    event.winner !== null &&
    view.last.some(([, card]) => card === "QS") &&
    view.points.some((points) => points > 12)
  ) {
    return `queen-${view.deal}`;
  }
  return "";
}

/** Say why it takes long, if a player that has not played yet thinks for a while. @param {View} view */
function warnOfCompiling(view) {
  const { event } = view;
  clearTimeout(waiting);
  if (event.kind === "played" && event.seat) warm.add(view.players[event.seat]);
  if (mayCompile(view, warm)) {
    waiting = setTimeout(() => {
      if (pace.idle) acts.notice(t("compiling"));
    }, 6000);
  }
}

/** While one seat has all the points, ask whether that becomes a moon. @param {View} view */
function askRisk(view) {
  const { ready, risk } = store.now,
    holders = view.points.filter((one) => one > 0).length;
  if (risk && holders > 1) update({ risk: null });
  if (holders !== 1 || view.friends || acts.own.riskAt === view.plays || (ready && ready.done < ready.of)) return;
  if (acts.send({ type: "risk" })) acts.own.riskAt = view.plays;
}

/** All is shown: what the page does by itself. */
function settled() {
  const { view, idle, stale, replay } = store.now;
  if (idle !== pace.idle) update({ idle: pace.idle });
  if (!view || replay || !pace.idle || stale || view.phase !== "play" || !view.legal.length) return;
  askRisk(view);
  const own = view.last.length > 0 || view.trick.some(([seat]) => seat === 0);
  if (options.auto && view.legal.length === 1) {
    acts.send({ type: "play", card: view.legal[0], at: view.plays });
  } else if (
    options.check &&
    !view.friends &&
    own &&
    acts.own.checkedAt !== view.plays &&
    acts.send({ type: "check" })
  ) {
    acts.own.checkedAt = view.plays;
    acts.own.quietCheck = true;
  }
}

// --- the line ---

/** The language that the server was told. */
let spoken = "";

const line = new Line(
  (message) => {
    const answers = /** @type {Record<string, ((message: any) => void) | undefined>} */ (heard);
    answers[message.type]?.(message);
  },
  (now) => {
    const { view, panel, replay, checks } = store.now,
      asking = now === "lost" && typeof replay?.hint === "string",
      checking = now === "lost" && checks === "busy",
      busy = now === "lost" && panel === "busy";
    // Once the line is lost, what the page shows is old, and no answer comes any more.
    update({
      line: now,
      ...(now === "lost" ? { stale: view !== null, starting: false } : {}),
      ...(busy ? { panel: "scores", sheet: false } : {}),
      ...(asking && replay ? { replay: { ...replay, hint: null } } : {}),
      ...(checking ? { checks: null } : {}),
    });
    spoken = "";
    speak();
    if (busy || asking || checking) acts.notice(t("line.askAgain"), "warn");
  },
);

addEventListener("pagehide", () => line.leave());

const world = {
  store,
  pace,
  clock: () => performance.now(),
  /** @param {import("../protocol").Incoming} message */
  say: (message) => line.say(message),
  /** @param {import("../protocol").Incoming | null} message */
  greet: (message) => line.greet(message),
};
const acts = makeActs(world);
acts.hears = sounds;
const heard = makeHeard(world, acts);

/** Tell the server in which language to answer, once per line and choice. */
function speak() {
  const wanted = language();
  if (spoken !== wanted && line.say({ type: "speak", language: wanted })) spoken = wanted;
}
store.listen(speak);

// --- drawing ---

const motion = makeMotion(stage);
const sound = makeSound();

/** @param {State} state */
function header(state) {
  const screen = screenOf(state);
  const at = screen !== "lobby";
  return [
    el(
      "a",
      {
        key: "home",
        class: "brand",
        id: "home",
        href: "#",
        "aria-label": t("home"),
        onclick: (event) => {
          event.preventDefault();
          acts.lobby();
        },
      },
      suitIcon("H"),
      el("span", { class: at ? "away" : "", text: "Hearts" }),
    ),
    el("span", { key: "grow", class: "grow" }),
    el("span", {
      key: "line",
      id: "line",
      class: "line",
      role: "status",
      text: state.line === "open" ? "" : t("connecting"),
    }),
    ["game", "puzzle", "room"].includes(screen) &&
      button(t("leave"), acts.lobby, { key: "leave", class: "quiet leave", title: t("leave.note") }),
    el(
      "button",
      {
        key: "sound",
        type: "button",
        class: "quiet icon",
        "aria-label": t("sound"),
        "aria-pressed": String(sounds()),
        title: t("sound"),
        onclick: () => {
          acts.sound();
          sound.hello();
        },
      },
      sign(sounds() ? "loud" : "mute", ""),
    ),
    button(t("options"), acts.options, { key: "options", class: "quiet", "aria-haspopup": "dialog" }),
    button(t("help"), acts.help, { key: "help", class: "quiet", "aria-haspopup": "dialog" }),
  ];
}

/** Whether a visible focus has lost its place, and nothing was there yet to take it. */
let adrift = false;

/** What can be done at a table or a puzzle. */
const ACTIONS = ".board > .actions";
/** What takes a focus that has lost its place: the button that continues, a card, any button. */
const HAVENS = [`${ACTIONS} .main:enabled`, ".hand .card[tabindex='0']", `${ACTIONS} button:enabled`];

/**
 * Give a visible focus another place if it has lost its own, or if the button that has it has dealt a new hand.
 * @param {HTMLElement} focused what had the focus before the state was drawn
 * @param {boolean} visible whether one could see that
 * @param {boolean} dealt whether the cards of another deal have come
 */
function refocus(focused, visible, dealt) {
  const now = document.activeElement,
    lost = !now || now === document.body || now.matches(":disabled");
  adrift = lost ? adrift || visible : visible && dealt && focused.closest(ACTIONS) !== null;
  if (!adrift) return;
  const haven = HAVENS.map((one) => stage.querySelector(one)).find((one) => one);
  /** @type {HTMLElement | null | undefined} */ (haven)?.focus();
  adrift = document.activeElement !== haven;
}

/** Draw the state. @param {State} state @param {State} before */
function draw(state, before) {
  byId("skip").textContent = t("skip");
  const moved = motion.before(state, before);
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const index = focused?.dataset.card ? cardsIn().indexOf(focused) : -1;
  const visible = focused?.matches(":focus-visible") ?? false;
  render(byId("bar"), header(state));
  render(stage, stageView(state, acts));
  render(
    byId("say"),
    state.said.map((one) => el("span", { key: one.id, text: `${one.text} ` })),
  );
  drawDialog(state);
  const { view } = state,
    screen = screenOf(state);
  Object.assign(stage.dataset, {
    screen,
    phase: screen === "game" && view ? view.phase : screen,
    plays: String(view?.plays ?? ""),
    idle: String(state.idle && !state.stale),
    turn: String(screen === "game" && (view?.legal.length ?? 0) > 0),
  });
  document.body.dataset.line = state.line;
  // Whoever looks at another tab meanwhile sees it in the name of this one.
  const asked = screen === "game" && state.idle && !state.stale && view && view.legal.length + view.may_pass.length > 0;
  const title = asked ? `● ${t("status.turn").replace(/\.$/, "")} · Hearts` : "Hearts · heartlab";
  if (document.title !== title) document.title = title;
  if (screen !== screenOf(before)) scrollTo(0, 0);
  // A focused card that was played hands the focus to its neighbour.
  const cards = cardsIn();
  if (index >= 0 && !focused?.isConnected && cards.length) cards[Math.min(index, cards.length - 1)].focus();
  else if (focused) refocus(focused, visible, view?.deal !== before.view?.deal);
  motion.after(moved);
}

/** @param {State} state */
function drawDialog(state) {
  const content = dialogView(state, acts, rulesHere(state));
  if (content) {
    render(dialog, el("div", { key: state.question ? "question" : state.dialog, class: "dialog-body" }, content));
    dialog.id = "dialog";
    dialog.dataset.kind = state.question ? "question" : (state.dialog ?? "");
    dialog.setAttribute("aria-label", t(state.question ? "question" : (state.dialog ?? "help")));
    if (!dialog.open) {
      dialog.showModal();
      dialog.scrollTop = 0;
    }
  } else if (dialog.open) {
    dialog.close();
    render(dialog, null);
  }
}

store.listen(draw);

// --- addresses ---

function follow() {
  const route = routeHere(),
    { table } = store.now;
  if (route.table && route.table === table) {
    update({ route });
    return;
  }
  pace.clear();
  acts.stopReplay();
  acts.leaveFriends();
  update({
    route,
    table: route.table,
    view: null,
    replay: null,
    puzzle: null,
    lost: "",
    panel: "scores",
    sheet: false,
    chosen: [],
    moment: "",
    starting: false,
    idle: true,
    lesson: BEGINNING,
  });
  /** @type {import("../protocol").Incoming | null} */
  const greeting = route.table ? { type: "open", key: route.table } : null;
  line.greet(greeting);
  if (greeting) line.say(greeting);
  if (route.page === "join") acts.enterJoin(route.rest);
  else if (route.page && (store.now.hello || route.page === "replay")) acts.enter(route.page, route.rest);
}

// --- keys ---

/** @returns {HTMLElement[]} */
const cardsIn = () => [.../** @type {NodeListOf<HTMLElement>} */ (stage.querySelectorAll(".hand .card"))];

/** Walk through the hand with the arrow keys. @param {number} step */
function walk(step) {
  const cards = cardsIn(),
    now = cards.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const next = now < 0 ? (step > 0 ? 0 : cards.length - 1) : (now + step + cards.length) % cards.length;
  cards[next]?.focus();
}

/** @type {Record<string, () => void>} */
const KEYS = {
  p: acts.pass,
  h: acts.hint,
  c: acts.count,
  l: acts.last,
  k: acts.check,
  u: acts.undo,
  f: acts.claim,
  n: acts.next,
  s: acts.scores,
  escape: acts.closeSheet,
  1: () => acts.moon("others"),
  2: () => acts.moon("self"),
};

/** Follow a key in a replay; returns whether it meant something. @param {string} key */
function pressInReplay(key) {
  if (key.toLowerCase() === "h" && store.now.hello) {
    acts.askReplay();
    return true;
  }
  const at = store.now.replay?.at ?? 0;
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: Number.MAX_SAFE_INTEGER }[key];
  if (to !== undefined) acts.step(to);
  return to !== undefined;
}

/** Follow a key; returns whether it meant something. @param {KeyboardEvent} event */
function press(event) {
  const arrow = { ArrowRight: 1, ArrowLeft: -1 }[event.key],
    { view, replay } = store.now;
  if (event.key === "?") {
    acts.help();
    return true;
  }
  if (replay) return pressInReplay(event.key);
  if (arrow && cardsIn().length) {
    walk(arrow);
    return true;
  }
  if (!view) return false;
  if (event.key === "Enter" || event.key === " ") {
    // A key that is held, or comes late, belongs to the trick: it neither plays a card nor deals the next one.
    if (pace.go() || event.repeat || acts.late()) return true;
  }
  const act = KEYS[event.key.toLowerCase()];
  act?.();
  return Boolean(act);
}

for (const gesture of ["pointerup", "keydown"]) addEventListener(gesture, sound.wake, true);
addEventListener("keydown", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (event.ctrlKey || event.metaKey || event.altKey || target?.closest("dialog, input, select, textarea")) return;
  if (press(event)) event.preventDefault();
});

// --- beginning ---

apply();
globalThis.navigator.serviceWorker?.register("/worker.js").catch(() => {});
byId("skip").addEventListener("click", () => stage.focus());
// The event comes later than the closing: the dialog may show the next question already.
dialog.addEventListener("close", () => {
  if (!dialog.open && (store.now.dialog || store.now.question)) acts.closeDialog();
});
// Not popstate as well: each new address has both events, one task apart, and a click may come between them.
addEventListener("hashchange", follow);
update({});
if (store.now.route.table || ["replay", "join"].includes(store.now.route.page)) follow();
