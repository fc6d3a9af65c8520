import assert from "node:assert/strict";
import { test } from "node:test";
import { find, textOf } from "../../src/heartlab/web/page/render.js";
import { initial } from "../../src/heartlab/web/page/state.js";
import { historyView } from "../../src/heartlab/web/page/views/history.js";

test("the level has a chart with its uncertainty, as soon as there are two estimates", () => {
  const deal = { number: 0, points: [3, 5, 5, 13], queen: 3, shooter: null };
  const game = { key: "k", made: 1, rules: "standard", players: [], names: ["", "", "", ""], over: false };
  const games = /** @type {any} */ ([{ ...game, people: [], scores: [6, 10, 10, 26], deals: [deal, deal] }]);
  const route = { house: "key", table: null, page: "history", rest: "" };
  /** @param {number[][]} course */
  const captions = (course) => {
    const level = /** @type {any} */ ({ text: "", course });
    const shown = historyView({ ...initial(route), games, level }, /** @type {any} */ ({}));
    assert.equal(textOf(find(find(shown, ".figures"), "td")[1]), "3.0", "no interval of no width");
    return find(shown, "figure").map((one) => [textOf(find(one, "figcaption")), find(one, ".band").length]);
  };
  const two = [
    [2, 1, 0, 9],
    [3, 1.5, 0, 8],
  ];
  assert.deepEqual(captions(two).at(-1), [
    "My level: points that my reviewed decisions cost per deal, with the 95 % interval",
    1,
  ]);
  assert.equal(captions(two).length, captions(two.slice(1)).length + 1);
});
