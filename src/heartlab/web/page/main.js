// The page's beginning: what the address says, what the server says, what the person does.
import { byId, el, hush, keep, mayBe, recall, say, tens, toast } from "./dom.js";
import { pretty, spoken, suitIcon } from "./cards.js";
import { Line } from "./line.js";
import { Pace } from "./pace.js";
import { apply, describeHelp, moves, options, showHelp, showOptions } from "./options.js";
import { drawTable, tell, walk } from "./table.js";
import { counting, lastTrick, scores } from "./panels.js";
import * as coach from "./coach.js";
import { Viewer } from "./viewer.js";
import { drawLobby } from "./lobby.js";
import { drawPuzzle } from "./puzzle.js";
import { partsOf } from "./records.js";

const TABLES = "heartlab-tables";
const stage = byId("stage");

/** @typedef {import("../protocol").View} View */
/** @typedef {import("../protocol").Incoming} Incoming */
/** @typedef {import("../protocol").Outgoing} Outgoing */
/** @typedef {"scores" | "last" | "count" | "hint" | "passing" | "check" | "review" | "busy"} Panel */
/** @typedef {{ promise: string, share: string, expected: boolean, used: boolean }} Shared */

/** What the page knows and shows. */
const page = {
  /** @type {import("../protocol").Hello | null} */
  hello: null,
  /** The key of the table that is open, or asked for. @type {string | null} */
  table: null,
  /** The view that is drawn. @type {View | null} */
  view: null,
  /** @type {import("./pace.js").Shown} */
  shown: { trick: [], winner: null, fresh: false },
  /** Cards chosen to be passed. @type {Set<string>} */
  chosen: new Set(),
  /** @type {Panel} */
  panel: "scores",
  /** What the panel shows: an answer of the server, or a text. @type {any} */
  answer: null,
  /** @type {Viewer | null} */
  viewer: null,
  /** @type {ReturnType<typeof drawLobby> | null} */
  lobby: null,
  /** @type {{ answered: boolean, rules: string, show: (verdict: string) => void } | null} */
  puzzle: null,
  /** @type {import("../protocol").Described | null} */
  described: null,
  /** Parts of a record file that are still to be read. @type {{ part: string, title: string }[]} */
  parts: [],
  /** The title of the part that is open. */
  reading: "",
  /** The server's promise for the next seed. @type {string | null} */
  promise: null,
  /** What this page said for the seed of the next deal. @type {Shared | null} */
  shared: null,
  /** Number of cards at the last check that the page asked for by itself. */
  checkedAt: -1,
  /** That check is to be told only if it found something. */
  quietCheck: false,
  restedAt: 0,
  /** What is shown is old: the line was lost. */
  stale: false,
  /** Players that have chosen a card since the page was opened: nothing has to be compiled for them any more. */
  warm: new Set(),
  waiting: 0,
};

const address = () => {
  const [house, table] = location.hash.slice(1).split("/");
  return { house, table };
};

// --- tables this browser knows ---

/** @returns {{ key: string, title: string }[]} */
const tables = () => recall(TABLES) ?? [];

/** @param {string} key */
const otherTables = (key) => tables().filter((one) => one.key !== key);

/** @param {string} key @param {string} title */
const remember = (key, title) => keep(TABLES, [{ key, title }, ...otherTables(key)].slice(0, 8));

/** @param {string} key */
const forget = (key) => keep(TABLES, otherTables(key));

// --- what the person does ---

/** @param {Incoming} message */
const send = (message) => {
  if (!line.say(message)) toast("The line to the server is lost; it comes back by itself.");
};

/**
 * This page's part of the next seed. The server has promised its own part, by a hash, before it hears this one.
 * @param {boolean} expected no seed was given, so the server has no reason to ignore it
 */
function share(expected) {
  if (!page.promise) return {};
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  const text = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  page.shared = { promise: page.promise, share: text, expected, used: false };
  page.promise = null;
  return { share: text };
}

/**
 * A deal whose seed this page had a part in must name what this page had heard and said.
 * @param {{ share?: string, promise?: string }} told
 */
function checkShare(told) {
  const { shared } = page;
  if (!shared) return;
  page.shared = null;
  if (told.share && (told.share !== shared.share || told.promise !== shared.promise)) {
    toast("Careful: the seed of this deal was not made from the text of this page.", "warn");
  } else if (!told.share && shared.expected) {
    toast("Careful: the server has ignored this page's part of the seed, and chose this deal alone.", "warn");
  }
}

/** @param {boolean} shared whether the deal before had a seed that was shared */
const nextDeal = (shared) => send({ type: "next", ...share(shared) });

const onlyHouse = () => ({ house: address().house, name: options.name });

const acts = {
  /** @param {string} card @param {boolean} byKey */
  card(card, byKey) {
    const { view, chosen } = page;
    if (!view) return;
    if (!pace.idle) { pace.go(); return; }
    // Enter also goes on after a trick: a late one must not play a card.
    if (byKey && view.phase === "play" && performance.now() - page.restedAt < 300) return;
    if (view.phase === "pass") {
      if (!view.may_pass.includes(card)) { toast(`${pretty(card)} may not be passed.`, "warn"); return; }
      if (!chosen.delete(card) && chosen.size < view.pass_count) chosen.add(card);
      draw();
    } else if (view.phase === "play") {
      send({ type: "play", card, at: view.plays });
    }
  },
  go() { pace.go(); },
  /** @param {string[]} cards */
  choose(cards) { page.chosen = new Set(cards); draw(); },
  /** @param {Event} event */
  promise(event) {
    event.stopPropagation();
    if (!page.view) return;
    const { commitment, share, promise } = page.view;
    const secret = `. Before this page chose its part of the seed, the server promised its own: ${promise}`;
    toast(`Promised hash of this deal: ${commitment}${share ? secret : ""}`);
  },
  pass() {
    const { view, chosen } = page;
    if (view?.phase === "pass" && chosen.size === view.pass_count) send({ type: "pass", cards: [...chosen] });
  },
  undo() { if (page.view?.can_undo) { pace.clear(); send({ type: "undo" }); } },
  hint() {
    if (!page.view?.legal.length && !page.view?.may_pass.length) return;
    busy("The coach is thinking …");
    send({ type: "hint" });
  },
  check() { busy("The coach looks at your card …"); send({ type: "check" }); },
  count() { busy("Counting …"); send({ type: "count" }); },
  last() { showPanel("last"); },
  claim() {
    const what = page.view?.claims[0];
    if (what) send({ type: "claim", what: /** @type {"rest" | "all" | "none"} */ (what) });
  },
  /** @param {"others" | "self"} what */
  moon(what) { if (page.view?.phase === "moon") send({ type: "moon", what }); },
  next() { if (page.view?.phase === "over") nextDeal(Boolean(page.view.share)); },
  leave() { if (page.view?.can_leave) { pace.clear(); nextDeal(Boolean(page.view.share)); } },
  review() {
    if (!page.view) return;
    busy("The coach looks at every trick …");
    send({ type: "review", number: page.view.deal });
  },
  replay() { if (page.view) send({ type: "replay", number: page.view.deal }); },
  /** @param {number} at */
  again(at = 0) { if (page.view) send({ type: "again", number: page.view.deal, at }); },
  lobby() { location.hash = address().house; },
  buttons,
};

/** @type {Record<string, string>} */
const CLAIMS = { rest: "Finish: nothing counts any more", all: "Claim all the rest", none: "Claim: no trick for me" };

/** @param {string} text @param {() => void} act @param {string} kind @param {string | null} key */
const button = (text, act, kind = "", key = null) =>
  el("button", { type: "button", class: kind, text, onclick: act, "aria-keyshortcuts": key });

/** What can be done now. @param {View} view @returns {HTMLButtonElement[]} */
function buttons(view) {
  if (!pace.idle && view.event.kind !== "opened") return [button("Go on", acts.go, "", "Enter")];
  const undo = view.can_undo ? [button("Take back", acts.undo, "", "U")] : [];
  const leave = view.can_leave ? [button("New deal", acts.leave)] : [];
  if (view.phase === "pass") {
    const left = view.pass_count - page.chosen.size;
    const pass = button(left ? `Choose ${left} more` : "Pass these cards", acts.pass, "main", "P");
    pass.disabled = left > 0;
    return [pass, button("Hint", acts.hint, "", "H"), ...leave];
  }
  if (view.phase === "play") {
    const played = view.last.length > 0 || view.trick.some(([seat]) => seat === 0);
    return [
      ...view.claims.map((claim) => button(CLAIMS[claim], acts.claim, "main", "F")),
      ...(view.legal.length > 0 ? [button("Hint", acts.hint, "", "H")] : []),
      button("Count", acts.count, "", "C"), button("Last trick", acts.last, "", "L"),
      ...(played ? [button("Check my card", acts.check, "", "K")] : []),
      ...undo, ...leave,
    ];
  }
  if (view.phase === "moon") {
    return [
      button("Others get the points", () => acts.moon("others"), "main", "1"),
      button("Off my own score", () => acts.moon("self"), "main", "2"), ...undo,
    ];
  }
  return [
    view.phase === "over" ? button("Next deal", acts.next, "main", "N") : button("New game", acts.lobby, "main"),
    button("Review", acts.review), button("Replay", acts.replay), button("Same deal again", () => acts.again()),
    ...undo,
  ];
}

// --- drawing ---

/** @param {Panel} kind @param {any} answer */
function panel(kind, answer = null) {
  page.panel = kind;
  page.answer = answer;
  draw();
}

/** @param {string} text */
const busyText = (text) => el("p", { class: "busy", role: "status", text });

/** @param {string} text */
function busy(text) {
  showPanel("busy", text);
}

/**
 * On a narrow screen the panels are below the table: what was asked for comes into sight.
 * @param {Panel} kind
 * @param {any} answer
 */
function showPanel(kind, answer = null) {
  hush();
  panel(kind, answer);
  bringUp(stage.querySelector(".side"));
}

/** @param {Element | null} node */
function bringUp(node) {
  if (node && node.getBoundingClientRect().top > innerHeight - 160) {
    node.scrollIntoView({ behavior: moves() ? "smooth" : "instant" });
  }
}

/** The panel beside the table. @param {View} view */
function side(view) {
  const { answer } = page, words = page.hello?.words ?? "";
  /** @type {Record<Panel, () => HTMLElement>} */
  const bodies = {
    scores: () => scores(view),
    last: () => lastTrick(view),
    count: () => counting(answer, view.names),
    hint: () => coach.hint(answer, words),
    passing: () => coach.passing(answer, acts.choose),
    check: () => coach.checked(answer, { canUndo: view.can_undo, undo: acts.undo }, words),
    review: () => coach.review(answer, { from: acts.again }, words),
    busy: () => busyText(answer),
  };
  return bodies[page.panel]();
}

/** What a deal's seed was made from. @param {View} view @param {import("../protocol").Reveal} reveal */
function proof(view, reveal) {
  const shared = view.share ? [`promise ${view.promise}`, `share ${view.share}`, `secret ${reveal.secret}`] : [];
  const lines = [`commitment ${view.commitment}`, `seed ${reveal.seed}`, `salt ${reveal.salt}`, ...shared];
  return el("details", { class: "proof" }, el("summary", { text: "Proof" }),
    lines.map((text) => el("p", { class: "mono", text })),
    el("p", { class: "dim", text: view.share
      ? "The seed is a hash of the server's secret, promised first, and of a random text (share) of this page."
      : "The seed was given, or the server's alone." }));
}

/** The result of a deal that is over. @param {View} view */
function result(view) {
  const { reveal } = view;
  if (!reveal) return null;
  const moon = reveal.shooter !== null && `${view.names[reveal.shooter]} shot the moon!`;
  const end = view.phase === "end" && view.limit !== null
    && `The game is over: ${view.winners.map((seat) => view.names[seat]).join(" and ")} won.`;
  const tally = view.names.map((name, seat) => el("li", { class: view.winners.includes(seat) ? "won" : "" },
    el("span", { class: `dot s${seat}` }), el("span", { text: name }),
    el("b", { text: `${reveal.points[seat] >= 0 ? "+" : ""}${reveal.points[seat]}` }),
    el("small", { text: `Σ ${view.scores[seat]}` })));
  /** @param {string} name @param {string} cards */
  const held = (name, cards) =>
    el("li", {}, el("strong", { text: `${name}: ` }), el("span", { text: cards.split(" ").map(pretty).join(" ") }));
  return el("section", { class: "result", "aria-label": "Result" },
    el("h2", { text: end || "The deal is over" }), moon && el("p", { class: "moon", text: moon }),
    el("ol", { class: "tally" }, tally),
    el("details", { class: "hands" }, el("summary", { text: "All hands" }), el("ul", { class: "plain" },
      reveal.hands.map((hand, seat) => held(view.names[seat], hand)), reveal.kitty && held("Kitty", reveal.kitty))),
    proof(view, reveal));
}

/** The board of the game; made if it is not there. */
function board() {
  const there = /** @type {HTMLElement | null} */ (stage.querySelector(".board"));
  if (there) return there;
  const made = el("div", { class: "board" });
  stage.replaceChildren(el("div", { class: "game" },
    made, el("aside", { class: "side", "aria-label": "Beside the table" })));
  scrollTo(0, 0);
  return made;
}

function draw() {
  const { view } = page;
  if (page.viewer || !view) return;
  const root = board();
  drawTable(root, view, page.shown, page.chosen, acts);
  const done = pace.idle ? result(view) : null;
  if (done) root.querySelector(".felt")?.append(done);
  stage.querySelector(".side")?.replaceChildren(side(view),
    button("Back to the table", () => root.scrollIntoView(), "to-table"));
  Object.assign(stage.dataset, {
    idle: String(pace.idle && !page.stale), phase: view.phase, plays: view.plays, turn: String(view.legal.length > 0),
  });
}

const pace = new Pace((view, shown) => {
  const before = page.view, fresh = view !== before;
  if (fresh && before && view.deal !== before.deal) {
    page.chosen.clear();
    page.panel = "scores";
    page.checkedAt = -1;
  }
  page.view = view;
  page.shown = shown;
  if (fresh) {
    const outdated = ["hint", "passing", "count", "check", "busy"].includes(page.panel);
    if (view.phase !== "pass") page.chosen.clear();
    if (outdated && view.event.kind !== "opened") page.panel = "scores";
    say(tell(view));
  }
  draw();
  page.shown = { ...shown, fresh: false };
  setTimeout(settled, 0);
  warnOfCompiling(view);
});
pace.rested = () => { page.restedAt = performance.now(); settled(); };

/** Say why it takes long, if a player that has not played yet thinks for a while. @param {View} view */
function warnOfCompiling(view) {
  const { event, to_move: mover } = view;
  clearTimeout(page.waiting);
  if (event.kind === "played" && event.seat) page.warm.add(view.players[event.seat]);
  if (view.phase === "play" && mover && view.plays < view.names.length && !page.warm.has(view.players[mover])) {
    const text = "Still thinking. A player's first choice on this computer takes a minute: it is being compiled.";
    page.waiting = setTimeout(() => { if (pace.idle) toast(text); }, 6000);
  }
}

/** All is shown: what the page does by itself. */
function settled() {
  const { view } = page;
  if (!view || page.viewer || !pace.idle || page.stale) return;
  if (stage.dataset.idle !== "true") draw();
  if (view.phase !== "play" || !view.legal.length) return;
  if (options.auto && view.legal.length === 1) {
    send({ type: "play", card: view.legal[0], at: view.plays });
  } else if (options.check && view.plays > 0 && page.checkedAt !== view.plays) {
    page.checkedAt = view.plays;
    page.quietCheck = true;
    send({ type: "check" });
  }
}

// --- what the server says ---

const toldFaults = new Set();
/** A player that fails is told of once; its seat keeps a mark. @param {string[]} faults */
function tellFaults(faults) {
  const fresh = [...new Set(faults)].filter((fault) => fault && !toldFaults.has(fault));
  for (const fault of fresh) toldFaults.add(fault);
  if (fresh.length) toast(fresh.join(" "), "warn");
}

/** Leave the viewer and show what was there before. @param {string | undefined} table */
function closeViewer(table) {
  page.viewer?.stop();
  page.viewer = null;
  stage.replaceChildren();
  if (page.view && table) draw(); else acts.lobby();
  if (!address().table) lobby();
}

/** The panel below the lobby or beside a puzzle. @param {HTMLElement[]} nodes */
const lobbyPanel = (...nodes) => mayBe("lobby-panel")?.replaceChildren(...nodes);

const nextPuzzle = () => send({ type: "puzzle", ...onlyHouse() });

/** What follows each message of the server. @type {{ [K in Outgoing as K["type"]]: (message: K) => void }} */
const heard = {
  hello(message) {
    page.hello = message;
    page.promise = message.promise;
    page.shared = null;
    if (!address().table) lobby();
  },
  described(message) {
    page.described = message;
    if (stage.dataset.phase === "lobby") page.lobby?.described(message);
    if (message.rules === rulesHere()) describeHelp(message);
  },
  promised(message) { page.promise = message.promise; if (page.shared) page.shared.used = true; },
  opened(message) {
    pace.clear();
    page.viewer = null;
    page.view = null;
    page.panel = "scores";
    page.chosen.clear();
    page.table = message.key;
    line.greet({ type: "open", key: message.key });
    history.pushState(null, "", `#${address().house}/${message.key}`);
  },
  view(message) {
    if (["opened", "dealt"].includes(message.event.kind) && message.plays === 0) checkShare(message);
    page.stale = false;
    if (page.viewer) { page.viewer.stop(); page.viewer = null; stage.replaceChildren(); }
    if (message.event.kind === "opened" || message.event.kind === "undone") pace.clear();
    if (page.table) {
      const totals = message.names.map((name, seat) => `${name} ${message.scores[seat]}`).join(", ");
      if (message.phase === "end") forget(page.table);
      else remember(page.table, `Deal ${message.deal + 1}, ${message.rules}: ${totals}`);
    }
    tellFaults(message.faults);
    pace.add(message);
  },
  refused(message) {
    toast(message.card ? `${pretty(message.card)} is not allowed: ${message.rule}.` : `${message.rule}.`, "warn");
  },
  failed(message) {
    const { table } = page;
    if (page.shared && !page.shared.used) { page.promise = page.shared.promise; page.shared = null; }
    toast(message.text, "warn");
    if (message.code === "server" && table) setTimeout(() => line.say({ type: "open", key: table }), 3000);
    if (page.panel === "busy") panel("scores");
    if (message.code === "key") {
      const wanted = address().table;
      if (wanted) forget(wanted);
      line.greet(null);
      page.view = null;
      stage.replaceChildren(el("p", { class: "lost", text: message.text }));
    }
  },
  coaching(message) {
    showPanel("hint", message);
    say(`The coach plays ${pretty(message.cards[0].card)}. ${message.words.join(" ")}`);
  },
  passing(message) {
    showPanel("passing", message);
    say(`The coach passes ${message.sets[0].cards.map(pretty).join(" ")}. ${message.words.join(" ")}`);
  },
  checked(message) {
    const quiet = page.quietCheck;
    page.quietCheck = false;
    if (quiet && !message.better) return;
    if (quiet) panel("check", message); else showPanel("check", message);
    const text = message.better ? "There was something better." : "Nothing was clearly better.";
    if (quiet) toast(text); else say(text);
  },
  counted(message) { showPanel("count", message); say(`${message.queen_text} ${message.moon_text}`); },
  reviewed(message) { showPanel("review", message); say(message.text); },
  progress(message) {
    if (page.quietCheck) return;
    if (!page.view) lobbyPanel(busyText(message.text));
    else if (page.panel === "busy") panel("busy", message.text);
  },
  deals(message) {
    const { table } = address(), { proof } = message;
    if (proof) checkShare(proof);
    tellFaults(message.faults);
    stage.dataset.idle = "true";
    page.puzzle = null;
    page.viewer = new Viewer(stage, message, {
      close: () => closeViewer(table),
      next: message.more && proof ? () => nextDeal(Boolean(proof.share)) : null,
      part: proof ? null : { title: page.reading, next: page.parts.length ? readPart : null },
    });
  },
  puzzle(message) {
    const { puzzle } = message;
    if (address().table) return;
    if (puzzle === null) {
      if (page.puzzle) lobby();
      lobbyPanel(el("p", { class: "dim", text: message.text }));
      return;
    }
    /** @param {string} card */
    const answer = (card) => {
      if (!page.puzzle?.answered) send({ type: "answer", ...onlyHouse(), puzzle, card });
    };
    stage.dataset.phase = "puzzle";
    page.puzzle = { answered: false, rules: message.rules, show: drawPuzzle(stage, message, { answer, lobby }) };
    scrollTo(0, 0);
    say(`Puzzle. ${message.text}`);
  },
  graded(message) {
    const verdict = message.right ? "Right." : `Better was ${pretty(message.best)}.`;
    hush();
    if (page.puzzle) {
      page.puzzle.answered = true;
      page.puzzle.show(verdict);
    }
    say(message.right ? "Right." : `Better was ${spoken(message.best)}.`);
    lobbyPanel(
      el("p", { class: message.right ? "good" : "alarm", text: verdict }),
      el("p", { text: message.cards.map(([card, value]) => `${pretty(card)} ${value}`).join(" · ") }),
      el("p", { class: "dim", text: tens(message.text) }), button("Next puzzle", nextPuzzle));
    bringUp(mayBe("lobby-panel"));
  },
  level(message) { lobbyPanel(el("p", { text: message.text })); },
};

/** @param {import("./lobby.js").Start} settings */
function start(settings) {
  send({ type: "create", house: address().house, ...settings, ...(settings.seed === null ? share(true) : {}) });
  if (settings.watch) toast("The bots play a deal to its end; then you can step through it.");
  setTimeout(() => {
    if (stage.dataset.phase === "lobby") toast("The players are getting ready; the first time this takes a minute.");
  }, 1500);
}

function lobby() {
  if (!page.hello) return;
  pace.clear();
  page.viewer?.stop();
  page.viewer = null;
  page.view = null;
  page.table = null;
  page.puzzle = null;
  line.greet(null);
  stage.dataset.phase = "lobby";
  page.lobby = drawLobby(stage, page.hello, {
    start, read, tell: toast, describe, puzzle: nextPuzzle,
    level: () => send({ type: "level", ...onlyHouse() }),
    open: (key) => { location.hash = `${address().house}/${key}`; },
  }, tables());
}

/** Read a record file, in as many parts as the server's limits need. @param {string} text */
function read(text) {
  if (!page.hello) return;
  const { parts, tooLong } = partsOf(text, page.hello.limits);
  if (tooLong) { toast("A deal of this file is too long to be read here.", "warn"); return; }
  page.parts = parts.map((part, index) => ({
    part, title: parts.length > 1 ? `part ${index + 1} of ${parts.length}` : "",
  }));
  readPart();
}

function readPart() {
  const next = page.parts.shift();
  if (!next) return;
  page.reading = next.title;
  send({ type: "read", house: address().house, text: next.part });
}

function follow() {
  const { table } = address();
  if (!table) { lobby(); return; }
  if (table === page.table) return;
  pace.clear();
  page.table = table;
  page.view = null;
  /** @type {Incoming} */
  const greeting = { type: "open", key: table };
  line.greet(greeting);
  line.say(greeting);
}

/** The rules that the page is about: those of the table, of the puzzle, or chosen in the lobby. */
const rulesHere = () => page.view?.rules ?? page.puzzle?.rules
  ?? (stage.dataset.phase === "lobby" ? page.lobby?.rules() : null) ?? "standard";

/** @param {string} rules */
const describe = (rules) => send({ type: "describe", house: address().house, rules });

function help() {
  const rules = rulesHere();
  const known = page.described?.rules === rules;
  showHelp(known ? page.described : null);
  if (!known) describe(rules);
}

// --- keys ---

/** @type {Record<string, () => void>} */
const KEYS = {
  p: acts.pass, h: acts.hint, c: acts.count, l: acts.last, k: acts.check, u: acts.undo, f: acts.claim, n: acts.next,
  s: () => panel("scores"), 1: () => acts.moon("others"), 2: () => acts.moon("self"),
};

/** Follow a key; returns whether it meant something. @param {KeyboardEvent} event */
function press(event) {
  const arrow = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (event.key === "?") { help(); return true; }
  if (page.viewer) return page.viewer.key(event);
  if (arrow && (page.puzzle || page.view)) { walk(stage, arrow); return true; }
  if (!page.view) return false;
  if ((event.key === "Enter" || event.key === " ") && !pace.idle) { pace.go(); return true; }
  const act = KEYS[event.key.toLowerCase()];
  act?.();
  return Boolean(act);
}

addEventListener("keydown", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (event.ctrlKey || event.metaKey || event.altKey || target?.closest("dialog, input, select, textarea")) return;
  if (press(event)) event.preventDefault();
});

// --- beginning ---

apply();
byId("logo").append(suitIcon("H"));
byId("home").addEventListener("click", (event) => {
  event.preventDefault();
  acts.lobby();
  if (!address().table) lobby();
});
byId("open-options").addEventListener("click", showOptions);
byId("open-help").addEventListener("click", help);

/** Once the line is lost, what the page shows is old until the server has shown the table again. @param {string} now */
function lineIs(now) {
  byId("line").textContent = now === "open" ? "" : "connecting …";
  document.body.dataset.line = now;
  if (now === "lost" && page.view && !page.stale) { page.stale = true; draw(); }
}

const line = new Line((message) => {
  const answers = /** @type {Record<string, ((message: Outgoing) => void) | undefined>} */ (heard);
  answers[message.type]?.(message);
}, lineIs);
addEventListener("hashchange", follow);
addEventListener("popstate", follow);
if (address().table) follow();
