// What the person does: each action changes the store, or says something to the server.
import { keep, recall, tens } from "./dom.js";
import { aloud, pretty } from "./cards.js";
import { language, options, setOption } from "./options.js";
import { makeFriendActs } from "./friends.js";
import { makePageActs } from "./pages.js";
import { rulesHere, wantedRules } from "./state.js";
import { t } from "./texts.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Panel} Panel */
/** @typedef {import("../protocol").Incoming} Incoming */
/** @typedef {ReturnType<typeof makeActs>} Acts */
/**
 * @typedef {object} World what actions may use
 * @property {ReturnType<typeof import("./store.js").makeStore<State>>} store
 * @property {import("./pace.js").Pace} pace
 * @property {(message: Incoming) => boolean} say says something to the server; false if there is no line
 * @property {(message: Incoming | null) => void} greet
 * @property {() => number} clock
 */

const TABLES = "heartlab-tables",
  CUSTOM = "heartlab-lobby";
const USUAL = ["gnome", "gnome:jake", "gnome:peter", "gnome", "gnome"];
const NOTICE_TIME = 6000;
/** Milliseconds after a trick in which Enter still belongs to the trick. */
const LATE = 300;

/** @param {World} world */
export function makeActs(world) {
  const { store, pace } = world,
    update = store.update;
  let hiding = 0,
    sentences = 0;
  /** The server's promise for the next seed, and what this page said for it. */
  const seed = {
    promise: /** @type {string | null} */ (null),
    shared: /** @type {import("./state.js").Shared | null} */ (null),
  };
  /** When the last trick was cleared away, and how many cards lay there at the last check by the page itself. */
  /** `wants`: what the next deals are asked for, if not to be seen; `above`: see `read`. */
  const own = { restedAt: 0, checkedAt: -1, riskAt: -1, quietCheck: false, wants: "", above: 0 };

  // --- notices, sentences, panels ---

  /**
   * A short message that everybody sees, for a while.
   * @param {string} text
   * @param {"" | "warn"} kind
   * @param {boolean} lasting not only until the next card
   */
  const notice = (text, kind = "", lasting = false) => {
    clearTimeout(hiding);
    update({ notice: { text: tens(text), kind, lasting } });
    hiding = setTimeout(() => update({ notice: null }), NOTICE_TIME);
  };

  /** What the notice was about is over. */
  const hush = () => {
    clearTimeout(hiding);
    update({ notice: null });
  };

  /** Tell a screen reader; sentences are added, so that none is lost when many come. @param {string} text */
  const tell = (text) => {
    if (!text) return;
    sentences += 1;
    const one = { id: sentences, text: aloud(text) };
    update({ said: [...store.now.said, one].slice(-12) });
  };

  /** @param {Incoming} message */
  const send = (message) => {
    const sent = world.say(message);
    if (!sent) notice(t("line.lost"));
    return sent;
  };

  /**
   * Show a panel; on a narrow screen it lies over the felt until it is closed.
   * @param {Panel} panel
   * @param {any} answer
   */
  const show = (panel, answer = null) => {
    clearTimeout(hiding);
    update({ panel, answer, why: false, sheet: true, notice: null });
  };

  /** Ask the coach; the panel says so only if the question has left. @param {Incoming} message @param {string} text */
  const ask = (message, text) => {
    if (send(message)) show("busy", text);
  };

  // --- seeds ---

  /** This page's part of the next seed. @param {boolean} expected no seed was given, so it must not be ignored */
  const share = (expected) => {
    if (!seed.promise) return {};
    const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
    const text = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
    seed.shared = { promise: seed.promise, share: text, expected, used: false };
    seed.promise = null;
    return { share: text };
  };

  /**
   * A deal whose seed this page had a part in must name it. Among friends the seed may be made with another page's
   * part: this page's is used another time.
   * @param {{ share?: string, promise?: string, friends?: boolean }} told
   */
  const checkShare = (told) => {
    const { shared } = seed;
    if (!shared) return;
    seed.shared = null;
    if (told.friends && told.share !== shared.share) {
      if (!shared.used) seed.promise = shared.promise;
      return;
    }
    if (told.share && (told.share !== shared.share || told.promise !== shared.promise))
      notice(t("seed.other"), "warn", true);
    else if (!told.share && shared.expected) notice(t("seed.ignored"), "warn", true);
  };

  // --- tables that this browser knows ---

  /** @returns {{ key: string, title: string }[]} */
  const tables = () => recall(TABLES) ?? [];
  /** @param {string} key */
  const otherTables = (key) => tables().filter((one) => one.key !== key);
  /** @param {string} key @param {string} title */
  const remember = (key, title) => keep(TABLES, [{ key, title }, ...otherTables(key)].slice(0, 8));
  /** @param {string} key */
  const forget = (key) => keep(TABLES, otherTables(key));

  const house = () => store.now.route.house;
  const person = () => ({ house: house(), name: options.name });
  /** @param {string} [page] */
  const go = (page = "") => {
    location.hash = page ? `${house()}/~${page}` : house();
  };

  // --- starting ---

  /** @param {Omit<import("../protocol").Create, "type" | "house" | "share">} settings */
  const start = (settings) => {
    const message = { type: /** @type {"create"} */ ("create"), house: house(), ...settings };
    const shared = settings.seed === null && !settings.friends ? share(true) : {};
    if (send({ ...message, ...shared })) update({ starting: true });
  };

  /** The form of a custom game as it stands. @param {HTMLFormElement} form @returns {import("./state.js").Custom} */
  const readForm = (form) => {
    const data = new FormData(form),
      before = /** @type {import("./state.js").Custom} */ (store.now.custom);
    /** @param {string} name */
    const text = (name) => String(data.get(name) ?? "").trim();
    setOption("name", text("person") || "You");
    return {
      ...before,
      rules: text("rules"),
      changes: text("changes"),
      players: data.getAll("player").map(String),
      instead: text("instead"),
      seed: text("seed"),
      practice: data.has("practice"),
    };
  };

  /** @param {import("./state.js").Custom} custom @param {boolean} watch */
  const begin = (custom, watch) => {
    const { rules, changes, players, instead } = custom;
    keep(CUSTOM, { rules, changes, players, instead });
    start({
      rules: wantedRules(custom),
      players: watch ? [instead, ...players] : players,
      name: options.name,
      watch,
      practice: custom.practice,
      seed: custom.seed === "" ? null : Number(custom.seed),
    });
  };

  /** @param {string} rules */
  const describe = (rules) => {
    send({ type: "describe", house: house(), rules, language: language() });
  };

  /** @param {number} seats @param {string[]} before */
  const seated = (seats, before) =>
    Array.from({ length: seats - 1 }, (_, seat) => before[seat] ?? USUAL[seat] ?? "gnome");

  /** Ask before something is lost. @param {string} text @param {string} yes @param {() => void} act */
  const question = (text, yes, act) => update({ question: { text, yes, act } });

  const pages = makePageActs(world, { notice, tell, send, share, go, house, person, question, own });
  const friends = makeFriendActs(world, { notice, send, share, show, start, question });

  const acts = {
    ...pages,
    ...friends,
    question,
    notice,
    hush,
    tell,
    send,
    show,
    share,
    checkShare,
    tables,
    remember,
    forget,
    seed,
    own,
    visit: go,

    // --- the lobby ---

    /** @param {string} name */
    level(name) {
      setOption("level", name);
      update({});
    },
    playNow() {
      const level = store.now.hello?.levels.find((one) => one.name === options.level) ?? store.now.hello?.levels[0];
      if (level) start({ rules: "standard", players: level.players, name: options.name, seed: null });
    },
    /** What the form of a custom game begins with. */
    openMore() {
      if (store.now.custom || !store.now.hello) return;
      const kept = recall(CUSTOM) ?? {},
        rules = kept.rules ?? "standard",
        changes = kept.changes ?? "";
      const seats = store.now.hello.rules.find((one) => one.name === rules)?.players ?? 4;
      const custom = {
        rules,
        changes,
        players: seated(seats, kept.players ?? []),
        instead: kept.instead ?? "gnome",
        seed: "",
        practice: false,
        seats,
        described: changes ? "" : rules,
        waiting: null,
      };
      update({ custom });
      if (changes) describe(wantedRules(custom));
    },
    /** The seats follow the rules: a preset's are known, changes are described by the server. @param {Event} event */
    changeRules(event) {
      const form = /** @type {HTMLFormElement} */ (/** @type {HTMLElement} */ (event.target).closest("form"));
      const custom = { ...readForm(form), waiting: null },
        wanted = wantedRules(custom);
      const preset = store.now.hello?.rules.find((one) => one.name === wanted);
      update({ custom });
      if (preset) acts.described({ rules: preset.name, players: preset.players });
      else describe(wanted);
    },
    /** @param {{ rules: string, players: number }} answer */
    described({ rules, players }) {
      const { custom } = store.now;
      if (!custom || rules !== wantedRules(custom)) return;
      const { waiting } = custom,
        same = players === custom.seats;
      const now = {
        ...custom,
        seats: players,
        described: rules,
        players: seated(players, custom.players),
        waiting: null,
      };
      update({ custom: now });
      if (waiting && same) begin(now, waiting.watch);
      else if (waiting) notice(t("custom.seats", { n: players }));
    },
    /** @param {Event} event @param {boolean} watch */
    startCustom(event, watch) {
      event.preventDefault();
      const form = /** @type {HTMLFormElement} */ (/** @type {HTMLElement} */ (event.target).closest("form"));
      if (!form.reportValidity()) return;
      const custom = readForm(form),
        known = custom.described === wantedRules(custom);
      update({ custom: known ? custom : { ...custom, waiting: { watch } } });
      if (known) begin(custom, watch);
      else describe(wantedRules(custom));
    },
    /** @param {string} key */
    openTable(key) {
      location.hash = `${house()}/${key}`;
    },
    /** @param {string} key */
    forgetTable(key) {
      acts.question(t("lobby.forgetAsk"), t("lobby.forgetYes"), () => {
        forget(key);
        update({});
      });
    },
    lobby() {
      if (store.now.route.table || store.now.route.page) go();
      else update({ puzzle: null, replay: null });
    },
    puzzle() {
      send({ type: "puzzle", ...person() });
    },
    /** @param {Event} event */
    async openFile(event) {
      const input = /** @type {HTMLInputElement} */ (event.target);
      const text = await input.files?.[0]?.text();
      input.value = "";
      if (text !== undefined) pages.read(text);
    },

    // --- at the table ---

    /** @param {string} card */
    walkTo(card) {
      if (store.now.walked !== card) update({ walked: card });
    },
    /** Whether Enter still belongs to the trick, which it clears away. */
    late: () => store.now.view?.phase !== "pass" && world.clock() - own.restedAt < LATE,
    /** @param {string} card @param {boolean} byKey */
    card(card, byKey) {
      const { view, chosen } = store.now;
      if (!view) return;
      if (!pace.idle) {
        pace.go();
        return;
      }
      if (byKey && acts.late()) return;
      if (view.phase === "pass") {
        if (!view.may_pass.includes(card)) {
          notice(t("pass.mayNot", { card: pretty(card) }), "warn");
          return;
        }
        if (chosen.includes(card)) update({ chosen: chosen.filter((one) => one !== card) });
        else if (chosen.length < view.pass_count) update({ chosen: [...chosen, card] });
        else notice(t("pass.full", { n: view.pass_count }));
      } else if (view.phase === "play") {
        send({ type: "play", card, at: view.plays });
      }
    },
    go() {
      pace.go();
      if (store.now.sheet) update({ sheet: false });
    },
    /** @param {string[]} cards */
    choose(cards) {
      update({ chosen: cards, sheet: false });
    },
    /** @param {Event} event */
    promise(event) {
      event.stopPropagation();
      const { view } = store.now;
      if (!view) return;
      const secret = view.share ? t("promise.secret", { promise: view.promise }) : "";
      acts.question(`${t("promise.hash", { hash: view.commitment })}${secret}`, t("done"), () => {});
    },
    pass() {
      const { view, chosen } = store.now;
      if (view?.phase === "pass" && chosen.length === view.pass_count) send({ type: "pass", cards: chosen });
    },
    undo() {
      if (store.now.view?.can_undo && send({ type: "undo" })) pace.clear();
    },
    hint() {
      const { view } = store.now;
      if (friends.keptOut()) return;
      if (view?.legal.length || view?.may_pass.length) ask({ type: "hint" }, t("busy.hint"));
    },
    check() {
      if (friends.keptOut()) return;
      ask({ type: "check" }, t("busy.check"));
    },
    askWhy() {
      update({ why: true });
    },
    count() {
      if (friends.keptOut()) return;
      ask({ type: "count" }, t("busy.count"));
    },
    last() {
      show("last");
    },
    scores() {
      show("scores");
    },
    closeSheet() {
      update({ sheet: false });
    },
    claim() {
      const what = store.now.view?.claims[0];
      if (what) send({ type: "claim", what: /** @type {"rest" | "all" | "none"} */ (what) });
    },
    /** @param {"others" | "self"} what */
    moon(what) {
      const { view } = store.now;
      if (view?.phase === "moon" && view.chooser === 0) send({ type: "moon", what });
    },
    next() {
      const { view } = store.now;
      if (view?.friends && view.phase === "over" && !view.waiting.includes(0)) return;
      if (view?.phase === "over") send({ type: "next", ...share(Boolean(view.share)) });
      else if (view?.phase === "end" && view.branch === null) acts.rematch();
    },
    /** The same players and rules once more. */
    rematch() {
      const { view } = store.now;
      if (!view) return;
      if (view.friends) {
        send({ type: "rematch", ...share(true) });
        return;
      }
      start({
        rules: view.rules,
        players: view.players.slice(1),
        name: view.names[0],
        practice: view.practice,
        seed: null,
      });
    },
    back() {
      history.back();
    },
    leaveDeal() {
      const { view } = store.now;
      if (!view?.can_leave) return;
      const leave = () => {
        if (send({ type: "next", ...share(Boolean(view.share)) })) pace.clear();
      };
      if (view.plays || view.passed.length) acts.question(t("leave.ask"), t("do.leaveDeal"), leave);
      else leave();
    },
    review() {
      const { view } = store.now;
      if (view) ask({ type: "review", number: view.deal }, t("busy.review"));
    },
    /** How the deal goes on after the coach's card. @param {number} at */
    line(at) {
      if (store.now.view) send({ type: "line", number: store.now.view.deal, at });
    },
    /** The same in a replay: it opens beside the deal. */
    playLine() {
      const { replay } = store.now;
      if (!replay?.hint?.line) return;
      const deals = {
        ...replay.deals,
        records: [replay.hint.line],
        title: t("coach.lineTitle"),
        proof: null,
        more: false,
      };
      update({ replay: { deals, number: 0, at: replay.at, running: false, part: "" } });
    },
    replay() {
      if (store.now.view) send({ type: "replay", number: store.now.view.deal });
    },
    /** @param {number} at */
    again(at = 0) {
      if (store.now.view) send({ type: "again", number: store.now.view.deal, at });
    },

    // --- puzzles ---

    /** @param {string} card */
    answer(card) {
      const { puzzle } = store.now;
      if (puzzle && !puzzle.graded) send({ type: "answer", ...person(), puzzle: puzzle.view.puzzle ?? 0, card });
    },

    // --- dialogs ---

    help() {
      update({ dialog: "help" });
      const rules = rulesHere(store.now);
      if (store.now.described?.rules !== rules) describe(rules);
    },
    options() {
      update({ dialog: "options" });
    },
    /** @param {string} name @param {string | boolean} value */
    option(name, value) {
      setOption(name, value);
      update(name === "language" ? { described: null } : {});
    },
    sound() {
      setOption("sound", !acts.hears());
      update({});
    },
    hears: () => false,
    yes() {
      const { question } = store.now;
      update({ question: null });
      question?.act();
    },
    closeDialog() {
      update({ dialog: null, question: null });
    },
  };
  return acts;
}
