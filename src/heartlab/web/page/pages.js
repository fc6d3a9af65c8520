// What the person does away from the table: replays, analysis, the introduction, the history, fairness.
import { handText, trickText } from "./cards.js";
import { keep, recall, save } from "./dom.js";
import { answered, LESSONS } from "./lesson.js";
import { packed, unpacked } from "./links.js";
import { options, setOption } from "./options.js";
import { partsOf } from "./records.js";
import { t } from "./texts.js";
import { clicked, filled } from "./setup.js";
import { checkProof } from "./verify.js";
import { decisionOf, momentsOf, recordOf } from "./views/viewer.js";

const PROMISES = "heartlab-promises";
/** Characters of a seat's name that the coach is told. */
const LONGEST_NAME = 60;

/**
 * @typedef {object} Tools what these actions share with those at the table
 * @property {(text: string, kind?: "" | "warn", lasting?: boolean) => void} notice
 * @property {(text: string) => void} tell
 * @property {(message: import("../protocol").Incoming) => boolean} send
 * @property {(expected: boolean) => { share?: string }} share
 * @property {(page?: string) => void} go
 * @property {() => string} house
 * @property {() => { house: string, name: string }} person
 * @property {(text: string, yes: string, act: () => void) => void} question
 * @property {{ wants: string, above: number }} own
 */

/** @param {import("./actions.js").World} world @param {Tools} tools */
export function makePageActs(world, { notice, tell, send, share, go, house, person, question, own }) {
  const { store } = world;
  const { update } = store;
  let running = 0;
  /** Parts of a record file that are still to be read. @type {{ part: string, title: string }[]} */
  let parts = [];
  let reading = "";

  const acts = {
    /** Open what is below the lobby, and go there. */
    showMore() {
      const below = document.querySelector("details.more");
      if (!(below instanceof HTMLDetailsElement)) return;
      below.open = true;
      below.querySelector("summary")?.focus();
      below.scrollIntoView({ block: "start" });
    },

    // --- replays ---

    /**
     * Read a record file, in as many parts as the server's limits need.
     * @param {string} text
     * @param {number} above lines that the page has put above those that were typed
     */
    read(text, above = 0) {
      const { hello } = store.now;
      if (!hello) return;
      own.above = above;
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
      reading = next?.title ?? "";
    },
    /** The title of the part that is open. */
    partTitle: () => reading,
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
      const record = /** @type {any} */ (recordOf(replay));
      const at = decisionOf(replay);
      // Names as far as a sentence has room for them: the server reads short texts only.
      const players = record.players?.map((/** @type {string} */ name) => name.slice(0, LONGEST_NAME));
      const text = JSON.stringify({ ...record, players, points: undefined, moon: undefined });
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
      const head = ["%hearts 1", "deal 3", "rules standard", ...hands, "pass hold"];
      if (text) acts.read(text);
      else acts.read([...head, trickText(String(data.get("tricks") ?? "")), "end"].join("\n"), head.length);
    },
    /** Deal at random what is missing in the form of a position. */
    randomHands: () => update({ setup: filled(store.now.setup, Math.floor(Math.random() * 2 ** 32)) }),
    /** A card of the analysis board was clicked. @param {string} card */
    pickCard: (card) => update({ setup: clicked(store.now.setup, card) }),
    /** Who gets the cards that are clicked. @param {string} seat */
    pickSeat: (seat) => update({ setup: { ...store.now.setup, seat: Number(seat) } }),
    /** @param {number} seat @param {string} text */
    typeHand: (seat, text) => update({ setup: { ...store.now.setup, hands: store.now.setup.hands.with(seat, text) } }),
    emptyHands: () => update({ setup: { seat: 0, hands: ["", "", "", ""] } }),
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
        question(link, t("done"), () => {});
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
      const { view, route } = store.now;
      if ((!view && route.table) || route.page === "replay") go();
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
    /** @param {string} against */
    chartAgainst(against) {
      update({ against });
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
  };
  return acts;
}
