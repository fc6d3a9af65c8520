// What the person does: each action changes the store, or says something to the server.
import { keep, recall, save, tens } from "./dom.js";
import { pretty } from "./cards.js";
import { options, setOption } from "./options.js";
import { packed, unpacked } from "./links.js";
import { answered, LESSONS } from "./lesson.js";
import { partsOf } from "./records.js";
import { recordOf, momentsOf } from "./views/viewer.js";
import { rulesHere, wantedRules } from "./state.js";
import { t } from "./texts.js";
import { CARDS, checkProof, dealt } from "./verify.js";
import { handText } from "./cards.js";

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

const PROMISES = "heartlab-promises",
  TABLES = "heartlab-tables",
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
    running = 0,
    sentences = 0;
  /** The server's promise for the next seed, and what this page said for it. */
  const seed = {
    promise: /** @type {string | null} */ (null),
    shared: /** @type {import("./state.js").Shared | null} */ (null),
  };
  /** Parts of a record file that are still to be read. @type {{ part: string, title: string }[]} */
  let parts = [];
  /** When the last trick was cleared away, and how many cards lay there at the last check by the page itself. */
  /** `wants`: what the next deals are asked for, if not to be seen. */
  const own = { restedAt: 0, checkedAt: -1, quietCheck: false, wants: "" };

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

  /**
   * Tell a screen reader. Sentences are added, so that none is lost when things happen quickly.
   * @param {string} text
   */
  const tell = (text) => {
    sentences += 1;
    const one = { id: sentences, text: tens(text) };
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

  /** A deal whose seed this page had a part in must name it. @param {{ share?: string, promise?: string }} told */
  const checkShare = (told) => {
    const { shared } = seed;
    if (!shared) return;
    seed.shared = null;
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
    if (send({ ...message, ...(settings.seed === null ? share(true) : {}) })) update({ starting: true });
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
    send({ type: "describe", house: house(), rules });
  };

  /** @param {number} seats @param {string[]} before */
  const seated = (seats, before) =>
    Array.from({ length: seats - 1 }, (_, seat) => before[seat] ?? USUAL[seat] ?? "gnome");

  const acts = {
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
      if (text !== undefined) acts.read(text);
    },

    // --- at the table ---

    /** @param {string} card */
    walkTo(card) {
      if (store.now.walked !== card) update({ walked: card });
    },
    /** @param {string} card @param {boolean} byKey */
    card(card, byKey) {
      const { view, chosen } = store.now;
      if (!view) return;
      if (!pace.idle) {
        pace.go();
        return;
      }
      // Enter also goes on after a trick: a late one must not play a card.
      if (byKey && view.phase === "play" && world.clock() - own.restedAt < LATE) return;
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
      if (view?.legal.length || view?.may_pass.length) ask({ type: "hint" }, t("busy.hint"));
    },
    check() {
      ask({ type: "check" }, t("busy.check"));
    },
    askWhy() {
      update({ why: true });
    },
    count() {
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
      if (store.now.view?.phase === "moon") send({ type: "moon", what });
    },
    next() {
      const { view } = store.now;
      if (view?.phase === "over") send({ type: "next", ...share(Boolean(view.share)) });
      else if (view?.phase === "end" && view.branch === null) acts.rematch();
    },
    /** The same players and rules once more. */
    rematch() {
      const { view } = store.now;
      if (!view) return;
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
    replay() {
      if (store.now.view) send({ type: "replay", number: store.now.view.deal });
    },
    /** @param {number} at */
    again(at = 0) {
      if (store.now.view) send({ type: "again", number: store.now.view.deal, at });
    },

    // --- replays ---

    /** Read a record file, in as many parts as the server's limits need. @param {string} text */
    read(text) {
      const { hello } = store.now;
      if (!hello) return;
      const found = partsOf(text, hello.limits);
      if (found.tooLong) {
        notice(t("read.tooLong"), "warn");
        return;
      }
      parts = found.parts.map((part, index) => ({
        part,
        title: found.parts.length > 1 ? t("read.part", { n: index + 1, of: found.parts.length }) : "",
      }));
      acts.readPart();
    },
    readPart() {
      const next = parts[0];
      if (next && send({ type: "read", house: house(), text: next.part })) parts = parts.slice(1);
      acts.reading = next?.title ?? "";
    },
    /** The title of the part that is open. */
    reading: "",
    hasParts: () => parts.length > 0 && !store.now.replay?.deals.proof,
    /** @param {number} to @param {boolean} quiet */
    step(to, quiet = false) {
      const { replay } = store.now;
      if (!replay) return;
      const list = momentsOf(replay),
        at = Math.max(0, Math.min(to, list.length - 1));
      if (at === list.length - 1) clearInterval(running);
      update({ replay: { ...replay, hint: null, at, running: replay.running && at < list.length - 1 } });
      if (!quiet) tell(list[at].note);
    },
    run() {
      const { replay } = store.now;
      if (!replay) return;
      clearInterval(running);
      const ended = replay.at === momentsOf(replay).length - 1;
      update({ replay: { ...replay, running: !replay.running, at: ended && !replay.running ? 0 : replay.at } });
      if (replay.running) return;
      running = setInterval(() => acts.step((store.now.replay?.at ?? 0) + 1), Math.max(250, Number(options.pace)));
    },
    /** @param {number} number */
    openDeal(number) {
      clearInterval(running);
      const { replay } = store.now;
      if (replay) update({ replay: { ...replay, number, at: 0, running: false } });
    },
    /** Ask the coach about the decision that the replay shows. */
    askReplay() {
      const { replay } = store.now;
      if (!replay) return;
      const { players: _, ...record } = /** @type {any} */ (recordOf(replay));
      const at = replay.at - (record.gives ? 2 : 1) + 1;
      const text = JSON.stringify({ ...record, points: undefined, moon: undefined });
      if (at < 0) notice(t("analysis.step"));
      else if (send({ type: "analyse", house: house(), record: text, at })) {
        update({ replay: { ...replay, running: false, hint: t("busy.hint") } });
      }
    },
    /** Open a position that was set up. @param {Event} event */
    setUp(event) {
      event.preventDefault();
      const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
      const text = String(data.get("record") ?? "").trim();
      const hands = data.getAll("hand").map((hand, seat) => `hand ${seat} ${handText(String(hand))}`);
      const pass = `pass hold\n${data.get("tricks") ?? ""}`;
      acts.read(text || ["%hearts 1", "deal 3", "rules standard", ...hands, pass, "end"].join("\n"));
    },
    /** Deal at random into the form of a position. @param {Event} event */
    randomHands(event) {
      const form = /** @type {HTMLElement} */ (event.target).closest("form");
      const hands = dealt(Math.floor(Math.random() * 2 ** 32), 0, CARDS, 4, 13);
      form?.querySelectorAll("input[name=hand]").forEach((node, seat) => {
        /** @type {HTMLInputElement} */ (node).value = hands[seat];
      });
    },
    saveProof() {
      const { replay } = store.now;
      if (replay) save(`deal-${recordOf(replay).deal ?? 0}-proof.json`, JSON.stringify(replay.deals.proof, null, 1));
    },
    /** Copy a link that holds the whole deal. */
    async shareReplay() {
      const { replay } = store.now;
      if (!replay) return;
      const { origin, pathname } = location;
      const link = `${origin}${pathname}#~replay/${await packed(recordOf(replay))}`;
      try {
        await navigator.clipboard.writeText(link);
        notice(t("link.copied"));
      } catch {
        acts.question(link, t("done"), () => {});
      }
    },
    /** Open the deal that an address holds. @param {string} fragment */
    async openLink(fragment) {
      try {
        const record = await unpacked(fragment);
        const deals = {
          type: /** @type {"deals"} */ ("deals"),
          title: t("link.title"),
          records: [record],
          proof: null,
        };
        update({
          replay: { deals: { ...deals, more: false, faults: [] }, number: 0, at: 0, running: false, part: "" },
        });
      } catch {
        update({ lost: t("link.bad") });
      }
    },
    nextWatched() {
      const proof = store.now.replay?.deals.proof;
      send({ type: "next", ...share(Boolean(proof?.share)) });
    },
    closeReplay() {
      clearInterval(running);
      parts = [];
      update({ replay: null });
      if (!store.now.view && store.now.route.table) go();
    },
    stopReplay() {
      clearInterval(running);
    },

    daily() {
      if (send({ type: "daily", ...person() })) update({ starting: true });
    },

    // --- the first deal ---

    /** @param {string} card */
    learn(card) {
      update({ lesson: answered(store.now.lesson, card) });
    },
    nextLesson() {
      const { step } = store.now.lesson;
      if (step + 1 < LESSONS.length) update({ lesson: { step: step + 1, picked: [], verdict: "" } });
      else acts.endLesson();
    },
    endLesson() {
      setOption("level", "beginner");
      go();
    },

    // --- the history ---

    /** What a page needs to know. @param {string} page @param {string} rest */
    enter(page, rest) {
      if (page === "learn") update({ lesson: { step: 0, picked: [], verdict: "" } });
      if (page === "replay") acts.openLink(rest);
      if (page !== "history" && page !== "fair") return;
      update({ checks: null });
      world.say({ type: "history", ...person() });
      if (page === "history") world.say({ type: "level", ...person() });
    },
    /** @param {string} find */
    find(find) {
      update({ find });
    },
    /** @param {string} key */
    replayGame(key) {
      send({ type: "game", ...person(), key });
    },
    exportGames() {
      own.wants = send({ type: "game", ...person() }) ? "export" : "";
    },
    /** @param {Event} event */
    async importFile(event) {
      const input = /** @type {HTMLInputElement} */ (event.target);
      const text = await input.files?.[0]?.text();
      const { hello } = store.now;
      input.value = "";
      if (text === undefined || !hello) return;
      const found = partsOf(text, hello.limits);
      if (found.tooLong) notice(t("read.tooLong"), "warn");
      else for (const part of found.parts) send({ type: "read", house: house(), text: part, into: options.name });
    },
    checkLastDeal() {
      const game = store.now.games?.find((one) => one.deals.length && !one.key.startsWith("import-"));
      const number = game?.deals.at(-1)?.number;
      if (number === undefined || !game) notice(t("fair.noDeal"));
      else if (send({ type: "game", ...person(), key: game.key, number })) {
        own.wants = `check ${game.key}/${number}`;
        update({ checks: "busy" });
      }
    },
    /**
     * Check a proof here; the page knows the hash that it showed, if it did.
     * @param {any} proof
     * @param {string} name
     */
    async verify(proof, name) {
      if (!globalThis.crypto?.subtle) {
        update({ checks: t("fair.insecure") });
        return;
      }
      const shown = recall(PROMISES)?.[name];
      const checks = await checkProof(proof);
      update({ checks: shown ? [{ name: "shown", holds: shown === proof.commitment }, ...checks] : checks });
    },
    /** Keep the hash that was shown before the first card. @param {string} name @param {string} hash */
    keepPromise(name, hash) {
      const known = Object.entries(recall(PROMISES) ?? {}).filter(([one]) => one !== name);
      keep(PROMISES, Object.fromEntries([...known.slice(-199), [name, hash]]));
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
      update({});
    },
    sound() {
      setOption("sound", !acts.hears());
      update({});
    },
    hears: () => false,
    /** Ask before something is lost. @param {string} text @param {string} yes @param {() => void} act */
    question(text, yes, act) {
      update({ question: { text, yes, act } });
    },
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
