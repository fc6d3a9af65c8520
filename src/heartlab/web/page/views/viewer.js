// Step through finished deals: watched ones, played ones, record files. All hands lie open.
import { el } from "../render.js";
import { face, inOrder, spoken } from "../cards.js";
import { moments, nameOf, shortName } from "../replay.js";
import { called, seated, t } from "../texts.js";
import { felt, placed, statusLine, trickView } from "./felt.js";
import { hint } from "./coach.js";
import { busyText, button, dot } from "./parts.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../replay.js").DealRecord} DealRecord */

/** @param {import("../state.js").Replay} replay */
export const recordOf = (replay) => /** @type {DealRecord} */ (replay.deals.records[replay.number]);

/**
 * How many cards were played before the decision that is open; -1 before passing.
 * @param {import("../state.js").Replay} replay
 */
export const decisionOf = (replay) => replay.at - (recordOf(replay).gives ? 1 : 0);

/** @type {WeakMap<DealRecord, import("../replay.js").Moment[]>} */
const known = new WeakMap();
/** The moments of the deal that is open. @param {import("../state.js").Replay} replay */
export function momentsOf(replay) {
  const record = recordOf(replay),
    list = known.get(record) ?? moments(record);
  known.set(record, list);
  return list;
}

/** @param {DealRecord} record @param {import("../replay.js").Moment} moment @param {number} seat */
function openHand(record, moment, seat) {
  const n = moment.hands.length,
    name = seated(nameOf(record, seat)),
    hand = [...moment.hands[seat]].sort(inOrder);
  return el(
    "section",
    {
      key: seat,
      class: `open-hand ${seat === 0 ? "own" : ""}`,
      "aria-label": name,
      "data-seat": seat,
      // row: from the top, for a narrow screen
      vars: { ...placed(seat, n), count: hand.length, row: Math.floor(n / 2) - Math.min(seat, n - seat) },
    },
    el(
      "strong",
      {},
      dot(seat),
      el("span", { class: "name", text: name, title: called(nameOf(record, seat)) }),
      el("small", { text: t("replay.tricks", { n: moment.tricks[seat] }) }),
    ),
    el(
      "ul",
      {},
      hand.map((card) => el("li", { key: card, "aria-label": spoken(card) }, face(card))),
    ),
  );
}

/** @param {State} state @param {boolean} done @param {import("../actions.js").Acts} acts */
function buttons(state, done, acts) {
  const replay = /** @type {import("../state.js").Replay} */ (state.replay),
    { records, proof, more } = replay.deals;
  const last = momentsOf(replay).length - 1;
  return el(
    "div",
    { class: "actions" },
    button("|◀", () => acts.step(0), { key: "start", "aria-label": t("replay.start") }),
    button("◀", () => acts.step(replay.at - 1), { key: "back", "aria-label": t("replay.back") }),
    button(t(replay.running ? "replay.pause" : "replay.run"), acts.run, { key: "run", class: "main" }),
    button("▶", () => acts.step(replay.at + 1), { key: "forward", "aria-label": t("replay.forward") }),
    button("▶|", () => acts.step(last), { key: "end", "aria-label": t("replay.end") }),
    records.length > 1 &&
      el(
        "label",
        { key: "deal", class: "inline" },
        t("replay.deal"),
        " ",
        el(
          "select",
          { value: replay.number, onchange: (event) => acts.openDeal(Number(event.target.value)) },
          records.map((_, index) => el("option", { key: index, value: index, text: index + 1 })),
        ),
      ),
    state.hello && button(t("do.hint"), acts.askReplay, { key: "coach", "aria-keyshortcuts": "H" }),
    button(t("replay.link"), acts.shareReplay, { key: "link" }),
    proof && button(t("replay.proof"), acts.saveProof, { key: "proof" }),
    more && done && button(t("do.next"), acts.nextWatched, { key: "next", class: "main" }),
    acts.hasParts() && button(t("replay.part"), acts.readPart, { key: "part" }),
    button(t("close"), acts.closeReplay, { key: "close" }),
  );
}

/** The deal that is open, at one of its moments. @param {State} state @param {import("../actions.js").Acts} acts */
export function replayView(state, acts) {
  const replay = /** @type {import("../state.js").Replay} */ (state.replay),
    record = recordOf(replay);
  const list = momentsOf(replay),
    moment = list[replay.at],
    n = moment.hands.length,
    done = replay.at === list.length - 1;
  const names = moment.hands.map((_, seat) => shortName(record, seat));
  const points = record.points?.map((value, seat) => `${called(names[seat])} ${value}`).join(", ");
  return el(
    "div",
    { key: "viewer", class: "viewer" },
    el(
      "div",
      { key: "open-felt", class: "open-felt", vars: { rows: Math.floor(n / 2) } },
      felt(
        n,
        "open",
        () => {},
        names.map((_, seat) => openHand(record, moment, seat)),
        trickView(moment.trick, moment.winner, names),
      ),
    ),
    statusLine(done && points ? t("replay.points", { list: points }) : moment.note, state.notice),
    el("p", { key: "title", class: "dim title", text: [replay.deals.title, replay.part].filter(Boolean).join(", ") }),
    el("input", {
      key: "slider",
      type: "range",
      min: 0,
      max: list.length - 1,
      value: replay.at,
      "aria-label": t("replay.card"),
      oninput: (event) => acts.step(Number(event.target.value), true),
    }),
    buttons(state, done, acts),
    replay.hint &&
      el(
        "div",
        { key: "hint", class: "replay-hint" },
        typeof replay.hint === "string" ? busyText(replay.hint) : hint(replay.hint, "", acts.playLine),
      ),
  );
}
