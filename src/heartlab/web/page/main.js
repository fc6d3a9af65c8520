// The page's beginning: what the address says, what the server says, what the person does.
import { byId, el, hush, say, tens, toast } from "./dom.js";
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
const page = { hello: null, view: null, shown: null, panel: "scores", answer: null, viewer: null, checkedAt: -1, table: null, restedAt: 0, puzzle: null, parts: [], stale: false, lobby: null, described: null, warm: new Set() };
// warm: players that have chosen a card since the page was opened, so that nothing has to be compiled for them any more
const state = { chosen: new Set(), hint: null };

const address = () => {
  const [house, table] = location.hash.slice(1).split("/");
  return { house, table };
};

// --- tables this browser knows ---

function tables() {
  try {
    return JSON.parse(localStorage.getItem(TABLES)) ?? [];
  } catch {
    return [];
  }
}

function remember(key, title) {
  try {
    localStorage.setItem(TABLES, JSON.stringify([{ key, title }, ...tables().filter((one) => one.key !== key)].slice(0, 8)));
  } catch { /* not kept */ }
}

function forget(key) {
  localStorage.setItem(TABLES, JSON.stringify(tables().filter((one) => one.key !== key)));
}

// --- what the person does ---

const send = (type, values = {}) => {
  if (!line.say({ type, ...values })) toast("The line to the server is lost; it comes back by itself.");
};

/**
 * This page's part of the next seed. The server has promised its own part, by a hash, before it hears this one.
 * `expected`: no seed was given, so the server has no reason to ignore it.
 */
function share(expected) {
  if (!page.promise) return {};
  const text = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  page.shared = { promise: page.promise, share: text, expected, used: false };
  page.promise = null;
  return { share: text };
}

/** A deal whose seed this page had a part in must name what this page had heard and said. */
function checkShare(told) {
  const { shared } = page;
  if (!shared) return;
  page.shared = null;
  if (told.share && (told.share !== shared.share || told.promise !== shared.promise)) toast("Careful: the seed of this deal was not made from the text of this page.", "warn");
  else if (!told.share && shared.expected) toast("Careful: the server has ignored this page's part of the seed, and chose this deal alone.", "warn");
}

const nextDeal = () => send("next", share(Boolean(page.view.share)));

const onlyHouse = () => ({ house: address().house, name: options.name });

const acts = {
  card(card, byKey) {
    const { view } = page;
    if (!pace.idle) { pace.go(); return; }
    // Enter also goes on after a trick: a late one must not play a card.
    if (byKey && view.phase === "play" && performance.now() - page.restedAt < 300) return;
    if (view.phase === "pass") {
      if (!view.may_pass.includes(card)) { toast(`${pretty(card)} may not be passed.`, "warn"); return; }
      if (!state.chosen.delete(card) && state.chosen.size < view.pass_count) state.chosen.add(card);
      draw();
    } else if (view.phase === "play") {
      send("play", { card, at: view.plays });
    }
  },
  go() { pace.go(); },
  choose(cards) { state.chosen = new Set(cards); draw(); },
  promise(event) {
    event.stopPropagation();
    toast(`Promised hash of this deal: ${page.view.commitment}${page.view.share ? `. Before this page chose its part of the seed, the server promised its own: ${page.view.promise}` : ""}`);
  },
  pass() {
    if (page.view?.phase === "pass" && state.chosen.size === page.view.pass_count) send("pass", { cards: [...state.chosen] });
  },
  undo() { if (page.view?.can_undo) { pace.clear(); send("undo"); } },
  hint() { if (page.view?.legal.length || page.view?.may_pass.length) { busy("The coach is thinking …"); send("hint"); } },
  check() { busy("The coach looks at your card …"); send("check"); },
  count() { busy("Counting …"); send("count"); },
  last() { showPanel("last"); },
  claim() { if (page.view?.claims.length) send("claim", { what: page.view.claims[0] }); },
  moon(what) { if (page.view?.phase === "moon") send("moon", { what }); },
  next() { if (page.view?.phase === "over") nextDeal(); },
  leave() { if (page.view?.can_leave) { pace.clear(); nextDeal(); } },
  review() { busy("The coach looks at every trick …"); send("review", { number: page.view.deal }); },
  replay() { send("replay", { number: page.view.deal }); },
  again() { send("again", { number: page.view.deal }); },
  from(at) { send("again", { number: page.view.deal, at }); },
  lobby() { location.hash = address().house; },
  buttons,
};

const CLAIMS = { rest: "Finish: nothing counts any more", all: "Claim all the rest", none: "Claim: no trick for me" };

function buttons(view) {
  const button = (text, act, kind = "", key = null) => el("button", { type: "button", class: kind, text, onclick: act, "aria-keyshortcuts": key });
  if (!pace.idle && view.event.kind !== "opened") return [button("Go on", acts.go, "", "Enter")];
  if (view.phase === "pass") {
    const left = view.pass_count - state.chosen.size;
    const pass = button(left ? `Choose ${left} more` : "Pass these cards", acts.pass, "main", "P");
    pass.disabled = left > 0;
    return [pass, button("Hint", acts.hint, "", "H"), view.can_leave && button("New deal", acts.leave)];
  }
  if (view.phase === "play") {
    return [
      view.claims.map((claim) => button(CLAIMS[claim], acts.claim, "main", "F")),
      view.legal.length > 0 && button("Hint", acts.hint, "", "H"),
      button("Count", acts.count, "", "C"), button("Last trick", acts.last, "", "L"),
      (view.last.length > 0 || view.trick.some(([seat]) => seat === 0)) && button("Check my card", acts.check, "", "K"),
      view.can_undo && button("Take back", acts.undo, "", "U"),
      view.can_leave && button("New deal", acts.leave),
    ];
  }
  if (view.phase === "moon") {
    return [button("Others get the points", () => acts.moon("others"), "main", "1"), button("Off my own score", () => acts.moon("self"), "main", "2"),
      view.can_undo && button("Take back", acts.undo, "", "U")];
  }
  return [
    view.phase === "over" ? button("Next deal", acts.next, "main", "N") : button("New game", acts.lobby, "main"),
    button("Review", acts.review), button("Replay", acts.replay), button("Same deal again", acts.again),
    view.can_undo && button("Take back", acts.undo, "", "U"),
  ];
}

// --- drawing ---

function panel(kind, answer = null) {
  page.panel = kind;
  page.answer = answer;
  draw();
}

function busy(text) {
  showPanel("busy", text);
}

/** On a narrow screen the panels are below the table: what was asked for comes into sight. */
function showPanel(kind, answer = null) {
  hush();
  panel(kind, answer);
  bringUp(stage.querySelector(".side"));
}

function bringUp(node) {
  if (node && node.getBoundingClientRect().top > innerHeight - 160) node.scrollIntoView({ behavior: moves() ? "smooth" : "instant" });
}

function side() {
  const { view, answer } = page;
  const bodies = {
    scores: () => scores(view), last: () => lastTrick(view), count: () => counting(answer, view.names),
    hint: () => coach.hint(answer, page.hello.words), passing: () => coach.passing(answer, acts.choose),
    check: () => coach.checked(answer, { canUndo: view.can_undo, undo: acts.undo }, page.hello.words),
    review: () => coach.review(answer, { from: acts.from }, page.hello.words), busy: () => el("p", { class: "busy", role: "status", text: answer }),
  };
  return bodies[page.panel]();
}

function result(view) {
  if (view.phase !== "over" && view.phase !== "end") return null;
  const { reveal } = view;
  const moon = reveal.shooter !== null && `${view.names[reveal.shooter]} shot the moon!`;
  const end = view.phase === "end" && view.limit !== null && `The game is over: ${view.winners.map((seat) => view.names[seat]).join(" and ")} won.`;
  return el("section", { class: "result", "aria-label": "Result" },
    el("h2", { text: end || "The deal is over" }), moon && el("p", { class: "moon", text: moon }),
    el("ol", { class: "tally" }, view.names.map((name, seat) => el("li", { class: view.winners.includes(seat) ? "won" : "" },
      el("span", { class: `dot s${seat}` }), el("span", { text: name }), el("b", { text: `${reveal.points[seat] >= 0 ? "+" : ""}${reveal.points[seat]}` }), el("small", { text: `Σ ${view.scores[seat]}` })))),
    el("details", { class: "hands" }, el("summary", { text: "All hands" }), el("ul", { class: "plain" }, reveal.hands.map((hand, seat) =>
      el("li", {}, el("strong", { text: `${view.names[seat]}: ` }), el("span", { text: hand.split(" ").map(pretty).join(" ") }))),
      reveal.kitty && el("li", {}, el("strong", { text: "Kitty: " }), reveal.kitty.split(" ").map(pretty).join(" ")))),
    el("details", { class: "proof" }, el("summary", { text: "Proof" }),
      el("p", { class: "mono", text: `commitment ${view.commitment}` }), el("p", { class: "mono", text: `seed ${reveal.seed}` }), el("p", { class: "mono", text: `salt ${reveal.salt}` }),
      view.share && ["promise", "share"].map((name) => el("p", { class: "mono", text: `${name} ${view[name]}` })), view.share && el("p", { class: "mono", text: `secret ${reveal.secret}` }),
      el("p", { class: "dim", text: view.share ? "The seed is a hash of the server's secret, promised first, and of a random text (share) of this page." : "The seed was given, or the server's alone." })));
}

function draw() {
  if (page.viewer || !page.view) return;
  let board = stage.querySelector(".board");
  if (!board) {
    stage.replaceChildren(el("div", { class: "game" }, el("div", { class: "board" }), el("aside", { class: "side", "aria-label": "Beside the table" })));
    board = stage.querySelector(".board");
    scrollTo(0, 0);
  }
  drawTable(board, page.view, page.shown, state, acts);
  const done = pace.idle ? result(page.view) : null;
  if (done) board.querySelector(".felt").append(done);
  const toTable = el("button", { type: "button", class: "to-table", text: "Back to the table", onclick: () => stage.querySelector(".board").scrollIntoView() });
  stage.querySelector(".side").replaceChildren(side(), toTable);
  stage.dataset.idle = String(pace.idle && !page.stale);
  stage.dataset.phase = page.view.phase;
  stage.dataset.plays = page.view.plays;
  stage.dataset.turn = String(page.view.legal.length > 0);
}

const pace = new Pace((view, shown) => {
  const fresh = view !== page.view;
  if (fresh && page.view && view.deal !== page.view.deal) { state.chosen.clear(); page.panel = "scores"; page.checkedAt = -1; }
  page.view = view;
  page.shown = shown;
  if (fresh) {
    if (view.phase !== "pass") state.chosen.clear();
    if (["hint", "passing", "count", "check", "busy"].includes(page.panel) && view.event.kind !== "opened") page.panel = "scores";
    say(tell(view));
  }
  draw();
  page.shown = { ...shown, fresh: false };
  setTimeout(settled, 0);
  clearTimeout(page.waiting);
  if (view.event.kind === "played" && view.event.seat > 0) page.warm.add(view.players[view.event.seat]);
  if (view.phase === "play" && view.to_move > 0 && view.plays < view.names.length && !page.warm.has(view.players[view.to_move])) {
    page.waiting = setTimeout(() => pace.idle && toast("Still thinking. A player's first choice on this computer takes a minute: it is being compiled."), 6000);
  }
});
pace.rested = () => { page.restedAt = performance.now(); settled(); };

/** All is shown: what the page does by itself. */
function settled() {
  const { view } = page;
  if (!view || page.viewer || !pace.idle || page.stale) return;
  if (stage.dataset.idle !== "true") draw();
  if (options.auto && view.phase === "play" && view.legal.length === 1) { send("play", { card: view.legal[0], at: view.plays }); return; }
  if (options.check && view.phase === "play" && view.plays > 0 && view.legal.length > 0 && page.checkedAt !== view.plays) {
    page.checkedAt = view.plays;
    page.quietCheck = true;
    send("check");
  }
}

// --- what the server says ---

const toldFaults = new Set();
/** A player that fails is told of once; its seat keeps a mark. */
function tellFaults(faults) {
  const fresh = [...new Set(faults)].filter((fault) => fault && !toldFaults.has(fault));
  for (const fault of fresh) toldFaults.add(fault);
  if (fresh.length) toast(fresh.join(" "), "warn");
}

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
    state.chosen.clear();
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
      const title = `Deal ${message.deal + 1}, ${message.rules}: ${message.names.map((name, seat) => `${name} ${message.scores[seat]}`).join(", ")}`;
      if (message.phase === "end") forget(page.table); else remember(page.table, title);
    }
    tellFaults(message.faults);
    pace.add(message);
  },
  refused(message) { toast(message.card ? `${pretty(message.card)} is not allowed: ${message.rule}.` : `${message.rule}.`, "warn"); },
  failed(message) {
    if (page.shared && !page.shared.used) { page.promise = page.shared.promise; page.shared = null; }
    toast(message.text, "warn");
    if (message.code === "server" && page.table) setTimeout(() => line.say({ type: "open", key: page.table }), 3000);
    if (page.panel === "busy") panel("scores");
    if (message.code === "key") { if (address().table) forget(address().table); line.greet(null); page.view = null; stage.replaceChildren(el("p", { class: "lost", text: message.text })); }
  },
  coaching(message) {
    showPanel("hint", message);
    say(`The coach plays ${pretty(message.cards[0].card)}. ${message.words.join(" ")}`);
  },
  passing(message) { showPanel("passing", message); say(`The coach passes ${message.sets[0].cards.map(pretty).join(" ")}. ${message.words.join(" ")}`); },
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
    if (!page.view) byId("lobby-panel")?.replaceChildren(el("p", { class: "busy", role: "status", text: message.text }));
    else if (page.panel === "busy") panel("busy", message.text);
  },
  deals(message) {
    const table = address().table;
    if (message.proof) checkShare(message.proof);
    tellFaults(message.faults);
    stage.dataset.idle = "true";
    page.puzzle = null;
    page.viewer = new Viewer(stage, message, {
      close: () => {
        page.viewer.stop();
        page.viewer = null;
        stage.replaceChildren();
        if (page.view && table) draw(); else acts.lobby();
        if (!address().table) lobby();
      },
      next: message.more ? () => send("next", share(Boolean(message.proof.share))) : null,
      part: message.proof ? null : nextPart(),
    });
  },
  puzzle(message) {
    if (address().table) return;
    if (message.puzzle === null) {
      if (page.puzzle) lobby();
      byId("lobby-panel")?.replaceChildren(el("p", { class: "dim", text: message.text }));
      return;
    }
    page.puzzle = { answered: false, rules: message.rules };
    stage.dataset.phase = "puzzle";
    page.puzzle.show = drawPuzzle(stage, message, { answer: (card) => { if (!page.puzzle.answered) send("answer", { ...onlyHouse(), puzzle: message.puzzle, card }); }, lobby });
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
    byId("lobby-panel")?.replaceChildren(
      el("p", { class: message.right ? "good" : "alarm", text: verdict }),
      el("p", { text: message.cards.map(([card, value]) => `${pretty(card)} ${value}`).join(" · ") }), el("p", { class: "dim", text: tens(message.text) }),
      el("button", { type: "button", text: "Next puzzle", onclick: () => send("puzzle", onlyHouse()) }));
    bringUp(byId("lobby-panel"));
  },
  level(message) { byId("lobby-panel")?.replaceChildren(el("p", { text: message.text })); },
};

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
    start: (settings) => {
      send("create", { house: address().house, ...settings, ...(settings.seed === null ? share(true) : {}) });
      if (settings.watch) toast("The bots play a deal to its end; then you can step through it.");
      setTimeout(() => { if (stage.dataset.phase === "lobby") toast("The players are getting ready; the first time this takes a minute."); }, 1500);
    },
    read, tell: toast, describe,
    puzzle: () => send("puzzle", onlyHouse()), level: () => send("level", onlyHouse()),
    open: (key) => { location.hash = `${address().house}/${key}`; },
  }, tables());
}

/** Read a record file, in as many parts as the server's limits need. */
function read(text) {
  const { parts, tooLong } = partsOf(text);
  if (tooLong) { toast("A deal of this file is too long to be read here.", "warn"); return; }
  page.parts = parts.map((part, index) => ({ part, title: parts.length > 1 ? `part ${index + 1} of ${parts.length}` : "" }));
  readPart();
}

function readPart() {
  const next = page.parts.shift();
  if (!next) return;
  page.reading = next.title;
  send("read", { house: address().house, text: next.part });
}

/** What the viewer says of the part that is open, and how to go on. */
const nextPart = () => ({ title: page.reading ?? "", next: page.parts.length ? readPart : null });

function follow() {
  const { table } = address();
  if (!table) { lobby(); return; }
  if (table === page.table) return;
  pace.clear();
  page.table = table;
  page.view = null;
  const greeting = { type: "open", key: table };
  line.greet(greeting);
  line.say(greeting);
}

/** The rules that the page is about: those of the table, of the puzzle, or chosen in the lobby. */
const rulesHere = () => page.view?.rules ?? page.puzzle?.rules ?? (stage.dataset.phase === "lobby" ? page.lobby?.rules() : null) ?? "standard";

const describe = (rules) => send("describe", { house: address().house, rules });

function help() {
  const rules = rulesHere();
  const known = page.described?.rules === rules;
  showHelp(known ? page.described : null);
  if (!known) describe(rules);
}

// --- keys ---

const KEYS = {
  p: acts.pass, h: acts.hint, c: acts.count, l: acts.last, k: acts.check, u: acts.undo, f: acts.claim, n: acts.next,
  s: () => panel("scores"), 1: () => acts.moon("others"), 2: () => acts.moon("self"),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("dialog, input, select, textarea")) return;
  if (event.key === "?") { help(); event.preventDefault(); return; }
  if (page.viewer) { if (page.viewer.key(event)) event.preventDefault(); return; }
  if (page.puzzle && ["ArrowRight", "ArrowLeft"].includes(event.key)) { walk(stage, event.key === "ArrowRight" ? 1 : -1); event.preventDefault(); }
  if (!page.view) return;
  const onButton = event.target.closest?.("button");
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") { walk(stage, event.key === "ArrowRight" ? 1 : -1); event.preventDefault(); }
  else if ((event.key === "Enter" || event.key === " ") && !pace.idle) { pace.go(); event.preventDefault(); }
  else if (KEYS[event.key.toLowerCase()] && !(onButton && (event.key === "Enter" || event.key === " "))) { KEYS[event.key.toLowerCase()](); event.preventDefault(); }
});

// --- beginning ---

apply();
byId("logo").append(suitIcon("H"));
byId("home").addEventListener("click", (event) => { event.preventDefault(); acts.lobby(); if (!address().table) lobby(); });
byId("open-options").addEventListener("click", showOptions);
byId("open-help").addEventListener("click", help);
/** Once the line is lost, what the page shows is old until the server has shown the table again. */
function lineIs(now) {
  byId("line").textContent = now === "open" ? "" : "connecting …";
  document.body.dataset.line = now;
  if (now === "lost" && page.view && !page.stale) { page.stale = true; draw(); }
}

const line = new Line((message) => heard[message.type]?.(message), lineIs);
addEventListener("hashchange", follow);
addEventListener("popstate", follow);
if (address().table) follow();
