// A table: the felt with its result, what can be done, the hand, and the panel beside it.
import { el } from "../render.js";
import { face, inOrder, pretty, sign, suitIcon } from "../cards.js";
import { called, inARow, isYou, playerText, some, t, whole } from "../texts.js";
import { advised } from "../state.js";
import { passSteps, status } from "../words.js";
import * as coach from "./coach.js";
import { felt, handView, seatPlate, statusLine, trickView } from "./felt.js";
import { counting, lastTrick, moonRisk, more, scores } from "./panels.js";
import { busyText, button, dot } from "./parts.js";
import { friendsPanel, reactions } from "./room.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../../protocol").View} View */
/** @typedef {import("../actions.js").Acts} Acts */

/** What a bot's player is called for people. @param {State} state @param {string} player */
export function strength({ hello }, player) {
  const level = hello?.levels.find((one) => one.players.includes(player));
  const known = hello?.opponents.find((one) => one.name === player);
  return level ? some(`level.${level.name}`) : known ? playerText(known) : player;
}

/** What a plate says of who plays there. @param {State} state @param {View} view @param {number} seat */
function kindOf(state, view, seat) {
  const who = view.people[seat];
  if (who === "person") return "";
  const player = strength(state, view.players[seat]);
  return who === "bot" ? player : some(`occupant.${who}`, { player });
}

/** @param {State} state @param {View} view */
function seats(state, view) {
  const turn = state.shown.winner === null ? view.to_move : null;
  return view.names.map((name, seat) =>
    seatPlate(
      {
        name,
        kind: kindOf(state, view, seat),
        reaction: state.reactions[seat] && some(`react.${state.reactions[seat]}`),
        points: view.points[seat],
        fault: view.faults[seat],
        tricks: view.tricks_won[seat],
        total: view.scores[seat],
        cards: view.hand_sizes[seat],
        active: turn === seat,
      },
      seat,
      view.names.length,
    ),
  );
}

/** What is special about this table. @param {View} view @param {Acts} acts */
function markers(view, acts) {
  return el(
    "div",
    { key: "markers", class: "markers" },
    view.breaking &&
      el("span", {
        class: `broken ${view.broken ? "yes" : ""}`,
        text: t(view.broken ? "hearts.broken" : "hearts.whole"),
      }),
    view.daily && el("span", { text: t("daily.day", { day: view.daily }) }),
    view.branch !== null
      ? el("span", { class: "branch", text: branchName(view) })
      : view.practice && el("span", { text: t("practice") }),
    view.helped && view.branch === null && el("span", { class: "helped", title: t("helped.note"), text: t("helped") }),
    view.commitment &&
      el("button", {
        type: "button",
        class: "promise",
        title: t("promise.title"),
        text: `# ${view.commitment.slice(0, 8)}`,
        onclick: acts.promise,
      }),
  );
}

/** A table at which a finished deal is played again. @param {View} view */
export const branchName = (view) =>
  t("branch", {
    deal: view.deal + 1,
    trick: Math.floor((view.branch ?? 0) / view.names.length) + 1,
    again: !view.branch,
  });

/** @param {State} state @param {View} view @param {Acts} acts */
function hand(state, view, acts) {
  const passing = view.phase === "pass",
    marked = advised(state);
  const may = passing ? view.may_pass : view.legal,
    busy = may.length > 0;
  const early = view.plays < view.names.length * 3;
  return handView(
    view.hand.map((card) => ({
      card,
      passing,
      state: busy ? (may.includes(card) ? "legal" : "illegal") : "",
      chosen: state.chosen.includes(card),
      received: early && view.received.includes(card),
      advised: marked.includes(card),
    })),
    state.walked,
    acts.card,
    acts.walkTo,
  );
}

/** What a deal's seed was made from. @param {View} view @param {import("../../protocol").Reveal} reveal */
function proof(view, reveal) {
  const shared = view.share ? [`promise ${view.promise}`, `share ${view.share}`, `secret ${reveal.secret}`] : [];
  const lines = [`commitment ${view.commitment}`, `seed ${reveal.seed}`, `salt ${reveal.salt}`, ...shared];
  return el(
    "details",
    { class: "proof" },
    el("summary", { text: t("proof") }),
    lines.map((text) => el("p", { class: "mono", text })),
    el("p", { class: "dim", text: t(view.share ? "proof.shared" : "proof.alone") }),
  );
}

/** The places of the seats in the order of a result: the least first. @param {number[]} values */
export function ranking(values) {
  const order = values.map((_, seat) => seat).sort((a, b) => values[a] - values[b]);
  return order.map((seat) => ({ seat, place: 1 + values.filter((value) => value < values[seat]).length }));
}

/** @param {View} view */
function headline(view) {
  if (view.daily) return t("daily.over", { points: view.points[0] });
  if (view.phase !== "end" || view.limit === null) return t("result.deal");
  const names = view.winners.map((seat) => view.names[seat]);
  return t("result.game", {
    names: inARow(names.map(called)),
    you: names.length === 1 && isYou(names[0]),
    many: names.length > 1,
  });
}

/** What others made of the daily deal. @param {State} state @param {View} view */
function comparison({ compared }, view) {
  if (!view.daily) return null;
  if (compared?.day !== view.daily) return busyText(t("daily.comparing"));
  const rows = [
    { name: called(view.names[0]), points: view.points[0], mine: true },
    ...compared.levels.map((one) => ({ name: some(`level.${one.name}`), points: one.points, mine: false })),
  ].sort((a, b) => a.points - b.points);
  return el(
    "section",
    { class: "daily" },
    el("h3", { text: t("daily.others") }),
    el(
      "ol",
      { class: "tally" },
      rows.map(({ name, points, mine }) =>
        el("li", { class: mine ? "mine" : "" }, el("span", { class: "name", text: name }), el("b", { text: points })),
      ),
    ),
  );
}

/** The result of a deal or a game, the winner first. @param {State} state @param {View} view */
function result(state, view) {
  const { reveal } = view;
  if (!reveal) return null;
  const end = view.phase === "end",
    shooter = reveal.shooter;
  const tally = ranking(end ? view.scores : reveal.points).map(({ seat, place }) =>
    el(
      "li",
      { key: seat, class: `${view.winners.includes(seat) ? "won" : ""} ${seat === 0 ? "mine" : ""}` },
      el("span", { class: "place", text: `${place}.` }),
      dot(seat),
      el("span", { class: "name", text: called(view.names[seat]) }),
      el("b", { text: more(reveal.points[seat]) }),
      view.limit !== null && el("small", { text: t("result.total", { n: whole(view.scores[seat]) }) }),
    ),
  );
  /** @param {string} name @param {string} cards */
  const held = (name, cards) =>
    el(
      "li",
      {},
      el("strong", { text: `${name}: ` }),
      [...cards.split(" ")]
        .sort(inOrder)
        .map((card) => el("span", { key: card, class: `suit-${card[1]}`, text: `${pretty(card)} ` })),
    );
  return el(
    "section",
    { key: "result", class: `result ${end ? "end" : ""}`, "aria-label": t("result") },
    end && !view.daily && sign("crown", "trophy"),
    el("h2", { text: headline(view) }),
    shooter !== null && el("p", { class: "moon", text: t("result.moon", { name: view.names[shooter] }) }),
    el("ol", { class: "tally" }, tally),
    comparison(state, view),
    el(
      "details",
      { class: "hands" },
      el("summary", { text: t("result.hands") }),
      el(
        "ul",
        { class: "plain" },
        reveal.hands.map((cards, seat) => held(called(view.names[seat]), cards)),
        reveal.kitty && held(t("result.kitty"), reveal.kitty),
      ),
    ),
    proof(view, reveal),
  );
}

/** Suits that fall: you have won the game. @param {State} state @param {View} view */
function rain(state, view) {
  const won = state.idle && view.phase === "end" && view.limit !== null && !view.daily && view.winners.includes(0);
  if (!won) return null;
  const drops = Array.from({ length: 24 }, (_, index) =>
    el(
      "i",
      { key: index, vars: { left: `${(index * 37) % 100}%`, late: `${((index * 53) % 24) / 12}s` } },
      suitIcon("HSDC"[index % 4]),
    ),
  );
  return el("div", { key: `rain-${view.deal}`, class: "rain", "aria-hidden": "true" }, drops);
}

/** Something great that has just happened, for a second or two. @param {State} state */
function moment(state) {
  const { view } = state;
  if (!state.moment || !view) return null;
  const kind = state.moment.split("-")[0];
  const name = view.last_winner === null ? "" : view.names[view.last_winner];
  const shooter = view.reveal?.shooter;
  return el(
    "div",
    { key: state.moment, class: `moment ${kind}`, "aria-hidden": "true" },
    kind === "queen"
      ? [el("i", {}, face("QS")), el("p", { text: t("moment.queen", { name }) })]
      : el(
          "p",
          {},
          sign("moon", "moon-sign"),
          t("moment.moon", { name: typeof shooter === "number" ? view.names[shooter] : "" }),
        ),
  );
}

/** What can be done now. @param {State} state @param {View} view @param {Acts} acts */
export function buttons(state, view, acts) {
  /** @param {string} key */
  const by = (key, kind = "") => ({ "aria-keyshortcuts": key, class: kind });
  if (!state.idle && view.event.kind !== "opened") return [button(t("do.go"), acts.go, by("Enter"))];
  if (view.people[0] === "away") return [button(t("friends.back"), acts.imBack, { class: "main" })];
  const undo = view.can_undo && button(t("do.undo"), acts.undo, by("U"));
  const leave = view.can_leave && button(t("do.leaveDeal"), acts.leaveDeal);
  if (view.phase === "pass") {
    const left = view.pass_count - state.chosen.length;
    if (!view.may_pass.length) return [leave];
    return [
      button(left ? t("do.choose", { n: left }) : t("do.pass"), acts.pass, { ...by("P", "main"), disabled: left > 0 }),
      !view.friends && button(t("do.hint"), acts.hint, by("H")),
      leave,
    ];
  }
  if (view.phase === "play") {
    const played = view.last.length > 0 || view.trick.some(([seat]) => seat === 0);
    return [
      view.claims.map((claim) => button(some(`claim.${claim}`), acts.claim, by("F", "main"))),
      view.legal.length > 0 && !view.friends && button(t("do.hint"), acts.hint, by("H")),
      !view.friends && button(t("do.count"), acts.count, by("C")),
      button(t("do.last"), acts.last, by("L")),
      played && !view.friends && button(t("do.check"), acts.check, by("K")),
      undo,
      leave,
    ];
  }
  if (view.phase === "moon") {
    if (view.chooser !== 0) return [];
    return [
      button(t("do.moonOthers"), () => acts.moon("others"), by("1", "main")),
      button(t("do.moonSelf"), () => acts.moon("self"), by("2", "main")),
      undo,
    ];
  }
  const asked = view.friends && view.phase === "over" && !view.waiting.includes(0);
  const on =
    view.phase === "over"
      ? button(t(asked ? "friends.asked" : "do.next"), acts.next, { ...by("N", "main"), disabled: asked })
      : view.daily
        ? button(t("toLobby"), acts.lobby, { class: "main" })
        : view.branch !== null
          ? button(t("do.back"), acts.back, { class: "main" })
          : button(t("do.rematch"), acts.rematch, by("N", "main"));
  return [
    on,
    button(t("do.review"), acts.review),
    button(t("do.replay"), acts.replay),
    !view.friends && button(t("do.again"), () => acts.again()),
    undo,
  ];
}

/** Below the scores there is room for the last trick. @param {View} view */
const scoresTrick = (view) => view.phase === "play" && view.last.length > 0 && lastTrick(view);

/** Where the cards that are passed will go, as an arrow on the felt. @param {View} view */
function passArrow(view) {
  const n = view.names.length,
    steps = passSteps(view.direction, n);
  if (view.phase !== "pass" || !view.may_pass.length || !Number.isFinite(steps)) return null;
  const turn = 90 + (((steps % n) + n) % n) * (360 / n);
  return el(
    "div",
    { key: "way", class: "pass-way", "aria-hidden": "true", vars: { turn: `${turn}deg` } },
    sign("arrow", ""),
  );
}

/** The panel beside the table. @param {State} state @param {View} view @param {Acts} acts */
function side(state, view, acts) {
  const { answer } = state;
  const words = state.ready?.words || state.hello?.words || "";
  /** @type {Record<import("../state.js").Panel, () => import("../render.js").Made>} */
  const bodies = {
    scores: () => el("div", {}, scores(view), scoresTrick(view)),
    last: () => lastTrick(view),
    count: () => counting(answer, view.names),
    hint: () => coach.hint(answer, words),
    passing: () => coach.passing(answer, acts.choose),
    check: () =>
      coach.checked(
        answer,
        {
          canUndo: view.can_undo,
          undo: acts.undo,
          why: state.why,
          askWhy: acts.askWhy,
        },
        words,
      ),
    review: () => coach.review(answer, { from: acts.again, line: acts.line }, words),
    friends: () => friendsPanel(state, acts),
    busy: () => busyText(answer),
  };
  return el(
    "aside",
    {
      key: "side",
      class: `side ${state.sheet ? "open" : ""} ${["review", "scores", "friends"].includes(state.panel) ? "tall" : ""}`,
      "aria-label": t("side"),
    },
    button("×", acts.closeSheet, { key: "close", class: "quiet close-sheet", "aria-label": t("close") }),
    el("div", { key: state.panel }, bodies[state.panel]()),
  );
}

/** A table. @param {State} state @param {Acts} acts */
export function gameView(state, acts) {
  const view = /** @type {View} */ (state.view),
    n = view.names.length;
  const all = buttons(state, view, acts);
  return el(
    "div",
    { key: "game", class: "game" },
    el(
      "div",
      { key: "board", class: "board" },
      felt(
        n,
        "",
        acts.go,
        seats(state, view),
        trickView(state.shown.trick, state.shown.winner, view.names),
        passArrow(view),
        markers(view, acts),
        state.idle && result(state, view),
        moment(state),
        rain(state, view),
        view.friends && reactions(acts),
      ),
      moonRisk(state.risk),
      statusLine(state.stale ? t("line.lost") : status(view, state.shown.winner), state.notice),
      el(
        "div",
        { key: "actions", class: "actions" },
        all,
        view.friends && button(t("do.friends"), acts.showFriends, { key: "friends" }),
        button(t("do.scores"), acts.scores, { key: "scores", class: "narrow-only", "aria-keyshortcuts": "S" }),
      ),
      hand(state, view, acts),
    ),
    side(state, view, acts),
  );
}
