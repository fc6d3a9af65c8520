import assert from "node:assert/strict";
import { test } from "node:test";
import { find, textOf } from "../../src/heartlab/web/page/render.js";
import { initial } from "../../src/heartlab/web/page/state.js";
import { historyView } from "../../src/heartlab/web/page/views/history.js";

const ROUTE = { house: "key", table: null, page: "history", rest: "" };
const DEAL = { number: 0, points: [3, 5, 5, 13], queen: 3, shooter: null };
const LEVELS = [
  { name: "beginner", players: ["gnome"] },
  { name: "casual", players: ["jake"] },
];
/** A game with so many deals. @param {string} player @param {number} deals */
const game = (player, deals) => ({
  key: `${player}${deals}`,
  made: 1,
  rules: "standard",
  players: [player, player, player],
  names: ["", "", "", ""],
  over: false,
  scores: [6, 10, 10, 26],
  deals: Array(deals).fill(DEAL),
});
/** @param {number} n @returns {number[][]} */
const courseOf = (n) => Array.from({ length: n - 1 }, (_, index) => [index + 2, 1, 0, 9]);

/** The history as it is drawn. @param {any[]} games @param {any} level @param {string} against */
const shown = (games, level, against = "all") => {
  const hello = { levels: LEVELS };
  const state = /** @type {any} */ ({ ...initial(ROUTE), hello, games, level: { text: "", ...level }, against });
  return historyView(state, /** @type {any} */ ({}));
};

/** What stands under each caption: the numbers at the ends of the chart, or a sentence. @param {any} view */
const charts = (view) =>
  find(view, "figure").map((one) => textOf(find(one, "p")) || find(one, "text").slice(-2).map(textOf).join(" "));

test("the level has a chart with its uncertainty, as soon as there are five reviewed deals", () => {
  /** @param {number} reviewed */
  const last = (reviewed) => {
    const view = shown([game("gnome", 5)], { course: courseOf(reviewed), courses: {} });
    assert.equal(textOf(find(find(view, ".figures"), "td")[1]), "3.0", "no interval of no width");
    const one = find(view, "figure").at(-1);
    assert.match(textOf(find(one, "figcaption")), /^My level: points that my reviewed decisions cost per deal/);
    return [find(one, ".band").length, textOf(find(one, "p"))];
  };
  assert.deepEqual(last(5), [1, ""]);
  assert.deepEqual(last(4), [0, "Too few reviewed deals for a chart: 4 of 5 so far."]);
});

test("the charts are about all games, or about those against one strength", () => {
  const games = [game("gnome", 6), game("jake", 7), game("gnome", 2)];
  const level = { course: courseOf(15), courses: { beginner: courseOf(8), casual: courseOf(7) } };
  const none = "Too few finished games for a chart: 0 of 5 so far.";
  assert.deepEqual(charts(shown(games, level)), ["15 1", "15 1", "15 1", none, "15 2"]);
  assert.deepEqual(charts(shown(games, level, "beginner")), ["8 1", "8 1", "8 1", none, "8 2"]);
  assert.deepEqual(charts(shown(games, level, "casual")), ["7 1", "7 1", "7 1", none, "7 2"]);
  assert.deepEqual(charts(shown(games, level, "expert")), charts(shown(games, level)), "nobody played that");
});

test("what was played can be chosen, and too few deals are told instead of drawn", () => {
  const games = [game("gnome", 4), game("net", 7)];
  const view = shown(games, { course: [], courses: {} }, "beginner");
  assert.deepEqual(find(view, ".level").map(textOf), ["All", "Beginner", "Others"]);
  assert.deepEqual(
    find(view, "input")
      .filter((one) => one.attributes.checked)
      .map((one) => one.attributes.value),
    ["beginner"],
  );
  assert.equal(find(view, "figure").length, 0);
  assert.match(textOf(view), /Too few deals for a chart: 4 of 5 so far\./);
  assert.equal(find(shown(games.slice(1), { course: [], courses: {} }), ".level").length, 0, "nothing to choose");
});
