// Every game played: charts over time, figures by strength, what to practise, and the games themselves.
import { byLevel, course, figures, hasMoon, isWon, levelOf, practise, search, shares, wins } from "../stats.js";
import { el } from "../render.js";
import { language } from "../options.js";
import { called, decimal, some, t } from "../texts.js";
import { lineChart } from "./chart.js";
import { busyText, button, SCROLL, segments, sheet } from "./parts.js";

/** @typedef {import("../state.js").State} State */
/** @typedef {import("../actions.js").Acts} Acts */
/** @typedef {import("../../protocol").PlayedGame} PlayedGame */

/** Games that are listed at once. */
const LISTED = 60;
/** The fewest deals, finished games or reviewed deals that a line is drawn through. */
const FEWEST = 5;

/** @param {number} part @param {number} whole */
const percent = (part, whole) => (whole ? `${Math.round((100 * part) / whole)} %` : "–");
/** @param {import("../stats.js").Mean | null} mean */
const points = (mean) => {
  if (!mean) return "–";
  const range = `(${decimal(Math.max(0, mean.low), 1)} … ${decimal(Math.min(26, mean.high), 1)})`;
  // Deals that all came to the same have no spread from which an interval could be made.
  return mean.high > mean.low ? `${decimal(mean.mean, 1)} ${range}` : decimal(mean.mean, 1);
};

/** @param {import("../../protocol").DealFacts} deal */
const tookQueen = (deal) => deal.queen === 0;
/** @param {import("../../protocol").DealFacts} deal */
const shotMoon = (deal) => deal.shooter === 0;

/**
 * A chart under its title; or that there is too little for a line.
 * @param {string} title
 * @param {number[][]} values
 * @param {"history.few" | "history.fewGames" | "history.fewReviewed"} few
 * @param {{ n?: number, band?: [number, number, number][], colour: number, limit?: number, digits?: number }} how
 */
function figure(title, values, few, { n = values.length, band, colour, ...how }) {
  const chart = () => lineChart([{ values, band, colour }], { label: title, ...how });
  return el(
    "figure",
    {},
    el("figcaption", { text: title }),
    n < FEWEST ? el("p", { class: "dim", text: t(few, { n, of: FEWEST }) }) : chart(),
  );
}

/** The level over time, with its uncertainty. @param {[number, number, number, number][]} course */
function levelChart(course) {
  /** @type {[number, number, number][]} */
  const band = course.map(([at, , low, high]) => [at, low, high]);
  const values = course.map(([at, mean]) => [at, mean]),
    n = course.at(-1)?.[0] ?? 0;
  return figure(t("history.level"), values, "history.fewReviewed", { n, band, colour: 1, digits: 1 });
}

/** @param {PlayedGame[]} games @param {[number, number, number, number][]} level */
function charts(games, level) {
  const line = course(games);
  if (line.length < FEWEST) return el("p", { class: "dim", text: t("history.few", { n: line.length, of: FEWEST }) });
  /** @type {[number, number, number][]} */
  const band = line.map((one) => [one.at, Math.max(0, one.low), Math.min(26, one.high)]);
  const mean = line.map((one) => [one.at, one.mean]);
  return el(
    "div",
    { class: "charts" },
    figure(t("history.points"), mean, "history.few", { band, colour: 1, limit: 6.5, digits: 1 }),
    figure(t("history.queens"), shares(games, tookQueen), "history.few", { colour: 2, limit: 25 }),
    figure(t("history.moons"), shares(games, shotMoon), "history.few", { colour: 0 }),
    figure(t("history.wins"), wins(games), "history.fewGames", { colour: 3, limit: 25 }),
    levelChart(level),
  );
}

/** The charts of all games, or of those against one strength. @param {State} state @param {Acts} acts */
function chartsByStrength({ games, hello, level, against }, acts) {
  const all = games ?? [],
    groups = byLevel(all, hello?.levels ?? []);
  const chosen = groups.find((one) => one.name === against);
  return [
    groups.length > 1 &&
      segments(
        "against",
        t("history.against"),
        chosen?.name ?? "all",
        ["all", ...groups.map((one) => one.name)].map((name) => [name, some(`level.${name}`)]),
        acts.chartAgainst,
      ),
    chosen ? charts(chosen.games, level?.courses[chosen.name] ?? []) : charts(all, level?.course ?? []),
  ];
}

/** @param {PlayedGame[]} games @param {State} state */
function strengths(games, state) {
  const rows = byLevel(games, state.hello?.levels ?? []).map(({ name, games: some_ }) => {
    const all = figures(some_);
    return el(
      "tr",
      { key: name },
      el("th", { scope: "row", text: some(`level.${name}`) }),
      el("td", { text: all.deals }),
      el("td", { text: points(all.points) }),
      el("td", { text: all.games ? `${all.won} / ${all.games}` : "–" }),
      el("td", { text: percent(all.queens, all.deals) }),
      el("td", { text: percent(all.moons, all.deals) }),
    );
  });
  const titles = ["against", "deals", "perDeal", "won", "queen", "moon"].map((name) => some(`history.${name}`));
  return el(
    "div",
    SCROLL,
    el(
      "table",
      { class: "figures" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          titles.map((text) => el("th", { scope: "col", text })),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );
}

/** What is shown of a game. @param {State} state @param {PlayedGame} game */
function shownOf(state, game) {
  const level = levelOf(game, state.hello?.levels ?? []);
  return {
    when: new Date(game.made * 1000).toLocaleDateString(language()),
    title: game.names.map((name, seat) => `${called(name)} ${game.scores[seat]}`).join(", "),
    kind: level === "other" ? game.rules : some(`level.${level}`),
    badge: isWon(game) ? t("history.isWon") : game.over ? "" : t("history.open"),
  };
}

/** @param {State} state @param {PlayedGame} game @param {Acts} acts */
function gameRow(state, game, acts) {
  const { when, title, kind, badge } = shownOf(state, game);
  return el(
    "li",
    { key: game.key, class: isWon(game) ? "won" : "" },
    el("span", { class: "when", text: when }),
    el("span", { class: "what", text: title }),
    el("span", { class: "dim", text: `${kind}, ${t("history.count", { n: game.deals.length })}` }),
    el("span", { class: "badge", text: badge }),
    button(t("do.replay"), () => acts.replayGame(game.key)),
  );
}

/** The history. @param {State} state @param {Acts} acts */
export function historyView(state, acts) {
  const { games, find: words } = state;
  if (!games) return sheet(t("history"), acts.lobby, busyText(t("history.loading")));
  const all = figures(games);
  const found = search(games, words, (game) =>
    [...Object.values(shownOf(state, game)), hasMoon(game) ? t("history.moon") : ""].join(" "),
  );
  return sheet(
    t("history"),
    acts.lobby,
    games.length === 0 && el("p", { text: t("history.none") }),
    games.length > 0 && [
      chartsByStrength(state, acts),
      strengths(games, state),
      el(
        "section",
        { class: "next" },
        el("h2", { text: t("history.next") }),
        el("p", { text: state.level?.text ?? "" }),
        el(
          "ul",
          { class: "words" },
          practise(all).map((name) =>
            el("li", { text: some(`practise.${name}`, { queens: percent(all.queens, all.deals), n: all.against }) }),
          ),
        ),
      ),
      el("h2", { text: t("history.games") }),
      el("input", {
        type: "search",
        class: "find",
        value: words,
        "aria-label": t("history.find"),
        placeholder: t("history.find"),
        oninput: (event) => acts.find(event.target.value),
      }),
      el(
        "ol",
        { class: "games" },
        found.slice(0, LISTED).map((game) => gameRow(state, game, acts)),
      ),
      el("p", { class: "dim", role: "status", text: found.length ? "" : t("history.nothing", { words }) }),
      found.length > LISTED && el("p", { class: "dim", text: t("history.rest", { n: found.length - LISTED }) }),
    ],
    el(
      "div",
      { class: "actions left" },
      games.length > 0 && button(t("history.export"), acts.exportGames),
      el(
        "label",
        { class: "file" },
        el("span", { text: t("history.import") }),
        el("input", {
          type: "file",
          id: "import-file",
          accept: ".jsonl,.json,.hearts,.txt",
          onchange: acts.importFile,
        }),
      ),
    ),
  );
}
