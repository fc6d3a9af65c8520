// What the server says: how each message changes the store.
import { pretty, spoken } from "./cards.js";
import { save } from "./dom.js";
import { listNames } from "./friends.js";
import { keepHouse } from "./routes.js";
import { called, sentence, t } from "./texts.js";
import { branchName } from "./views/game.js";
import { verdict } from "./views/puzzle.js";
import { decisionOf } from "./views/viewer.js";

/** @typedef {import("../protocol").Outgoing} Outgoing */
/** @typedef {import("../protocol").View} View */
/** @typedef {import("./actions.js").World} World */
/** @typedef {import("./actions.js").Acts} Acts */

/** Seconds after which the page asks again for a table that the server had lost. */
const AGAIN = 3000;

/** The name under which a review is kept. @param {string | null} table @param {number} deal */
export const reviewName = (table, deal) => `${table}/${deal}`;

/** A table in the list of tables. @param {View} message */
function titleOf(message) {
  const totals = message.names.map((name, seat) => `${called(name)} ${message.scores[seat]}`).join(", ");
  if (message.branch !== null) return branchName(message);
  if (message.friends) return t("friends.title", { names: listNames(message.names.slice(1)), n: message.deal + 1 });
  const rules = message.rules === "standard" ? "" : `, ${message.rules}`;
  return `${t("table.deal", { n: message.deal + 1 })}${rules}: ${totals}`;
}

/**
 * What follows each message of the server.
 * @param {World} world
 * @param {Acts} acts
 * @returns {{ [K in Outgoing as K["type"]]: (message: K) => void }}
 */
export function makeHeard({ store, pace, say, greet }, acts) {
  const { update } = store;
  const toldFaults = new Set();

  /** A player that fails is told of once; its seat keeps a mark. @param {string[]} faults */
  const tellFaults = (faults) => {
    const fresh = [...new Set(faults)].filter((fault) => fault && !toldFaults.has(fault));
    for (const fault of fresh) toldFaults.add(fault);
    if (fresh.length) acts.notice(fresh.join(" "), "warn", true);
  };

  return {
    hello(message) {
      acts.seed.promise = message.promise;
      acts.seed.shared = null;
      update({ hello: message, starting: false });
      if (store.now.route.page !== "replay") acts.enter(store.now.route.page, store.now.route.rest);
    },
    ready(message) {
      update({ ready: message });
    },
    described(message) {
      update({ described: message });
      acts.described(message);
    },
    promised(message) {
      acts.seed.promise = message.promise;
      if (acts.seed.shared) acts.seed.shared.used = true;
    },
    opened(message) {
      pace.clear();
      acts.keepSeat(message.key);
      keepHouse(store.now.route.house);
      const route = { ...store.now.route, table: message.key, page: "", rest: "" };
      greet({ type: "open", key: message.key });
      history.pushState(null, "", `#${route.house}/${message.key}`);
      update({
        route,
        table: message.key,
        view: null,
        room: null,
        reactions: {},
        replay: null,
        puzzle: null,
        panel: "scores",
        sheet: false,
        chosen: [],
        starting: false,
        walked: null,
        lost: "",
        ...(store.now.notice?.lasting ? {} : { notice: null }),
      });
    },
    view(message) {
      if (["opened", "dealt"].includes(message.event.kind) && message.plays === 0) acts.checkShare(message);
      if (message.event.kind === "opened" || message.event.kind === "undone") pace.clear();
      const { table } = store.now;
      if (table && message.plays === 0 && message.commitment) {
        acts.keepPromise(reviewName(table, message.deal), message.commitment);
      }
      if (table && message.phase === "end") acts.forget(table);
      else if (table) acts.remember(table, titleOf(message));
      acts.stopReplay();
      update({ stale: false, replay: null });
      tellFaults(message.faults);
      if (message.daily && message.phase === "end" && store.now.compared?.day !== message.daily)
        say({ type: "compare" });
      pace.add(message);
    },
    room(message) {
      const { table, view } = store.now;
      update({ room: message });
      if (table && !view) acts.remember(table, t("friends.waiting"));
    },
    reacted(message) {
      acts.tell(acts.reacted(message));
    },
    refused(message) {
      acts.notice(
        message.card ? t("refused", { card: pretty(message.card), rule: message.rule }) : sentence(message.rule),
        "warn",
      );
    },
    failed(message) {
      const { table, route, panel } = store.now,
        { shared } = acts.seed;
      if (shared && !shared.used) {
        acts.seed.promise = shared.promise;
        acts.seed.shared = null;
      }
      if (acts.own.quietCheck) {
        acts.own.quietCheck = false;
        if (message.code === "table") return;
      }
      acts.own.wants = "";
      if (store.now.replay?.hint) update({ replay: { ...store.now.replay, hint: null } });
      if (store.now.checks === "busy") update({ checks: null });
      if (message.code === "key") acts.tell(sentence(message.text));
      else acts.notice(sentence(message.text, acts.own.above), "warn");
      acts.own.above = 0;
      if (message.code === "server" && table) setTimeout(() => say({ type: "open", key: table }), AGAIN);
      update({ starting: false, ...(panel === "busy" ? { panel: "scores", sheet: false } : {}) });
      if (message.code === "key") {
        if (route.table) acts.forget(route.table);
        acts.dropSeat(route.table);
        greet(null);
        update({ view: null, room: null, lost: sentence(message.text) });
      }
    },
    coaching(message) {
      const { replay } = store.now;
      if (replay) {
        // An answer may come after a step to another decision, which it says nothing about.
        if (typeof replay.hint !== "string" || message.at !== decisionOf(replay) + 1) return;
        update({ replay: { ...replay, hint: message } });
      } else acts.show("hint", message);
      acts.tell(`${message.first} ${message.words.join(" ")}`);
    },
    passing(message) {
      acts.show("passing", message);
      acts.tell(`${message.first} ${message.words.join(" ")}`);
    },
    checked(message) {
      const quiet = acts.own.quietCheck;
      acts.own.quietCheck = false;
      if (quiet && !message.better) return;
      const text = t(message.better ? "check.better" : "check.fine");
      if (quiet) {
        update({ panel: "check", answer: message, why: false });
        acts.notice(text);
      } else {
        acts.show("check", message);
        acts.tell(text);
      }
    },
    counted(message) {
      acts.show("count", message);
      acts.tell(`${message.queen_text} ${message.moon_text}`);
    },
    risk(message) {
      const told = store.now.risk?.text ?? "";
      update({ risk: message });
      if (message.text && !told) acts.tell(message.text);
    },
    reviewed(message) {
      const name = reviewName(store.now.table, message.number);
      update({ reviews: { ...store.now.reviews, [name]: message } });
      acts.show("review", message);
      acts.tell(message.text);
    },
    progress(message) {
      if (acts.own.quietCheck) return;
      const { replay } = store.now;
      // A replay that has asked says so; a review may still be running behind it.
      if (replay) {
        if (typeof replay.hint === "string") update({ replay: { ...replay, hint: message.text } });
      } else if (!store.now.view) update({ panelText: message.text });
      else if (store.now.panel === "busy") update({ answer: message.text });
    },
    compared(message) {
      update({ compared: message });
    },
    games(message) {
      update({ games: message.games });
    },
    imported(message) {
      acts.notice(t("history.imported", { n: message.deals }));
      acts.enter(store.now.route.page, "");
    },
    deals(message) {
      const { wants } = acts.own;
      acts.own.wants = "";
      acts.own.above = 0;
      if (wants === "export") {
        save("hearts-games.jsonl", `${message.records.map((record) => JSON.stringify(record)).join("\n")}\n`);
        return;
      }
      if (wants.startsWith("check ") && message.proof) {
        acts.verify(message.proof, wants.slice(6));
        return;
      }
      acts.hush();
      if (message.proof) acts.checkShare(message.proof);
      tellFaults(message.faults);
      acts.stopReplay();
      const part = message.proof ? "" : acts.partTitle();
      update({ replay: { deals: message, number: 0, at: 0, running: false, part }, puzzle: null, starting: false });
    },
    puzzle(message) {
      if (store.now.route.table) return;
      if (message.puzzle === null) {
        update({ puzzle: null, panelText: message.text });
        document.getElementById("lobby-panel")?.scrollIntoView({ block: "nearest" });
        return;
      }
      update({ puzzle: { view: message, graded: null }, panelText: "", walked: null, notice: null });
      scrollTo(0, 0);
      acts.tell(t("puzzle.title", { text: message.text }));
    },
    graded(message) {
      const { puzzle } = store.now;
      acts.hush();
      if (puzzle) update({ puzzle: { ...puzzle, graded: message } });
      document.getElementById("lobby-panel")?.scrollIntoView({ block: "nearest" });
      acts.tell(message.right ? verdict(message) : t("puzzle.better", { card: spoken(message.best) }));
    },
    level(message) {
      update({ panelText: store.now.route.page ? "" : message.text, level: message });
    },
  };
}
