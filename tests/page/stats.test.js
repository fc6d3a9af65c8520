import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, unpacked } from "../../src/heartlab/web/page/links.js";
import * as stats from "../../src/heartlab/web/page/stats.js";

const HAND = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 2H QS";
const deal = (points, more = {}) => ({
  number: 0,
  points: [points, 26 - points, 0, 0],
  queen: points > 12 ? 0 : 1,
  shooter: null,
  hand: HAND,
  helped: false,
  ...more,
});
const game = (made, player, deals, more = {}) => ({
  key: `k${made}`,
  made,
  rules: "standard",
  names: ["You", "Ada", "Emil", "Ines"],
  players: [player, player, player],
  practice: false,
  over: true,
  scores: [10, 100, 20, 30],
  deals,
  ...more,
});
const LEVELS = [
  { name: "beginner", players: ["gnome"] },
  { name: "expert", players: ["net"] },
];
const GAMES = [
  game(3e8, "net", [deal(26, { shooter: 0 }), deal(4)], { scores: [100, 0, 0, 0] }),
  game(1e8, "gnome", [deal(0), deal(2), deal(13)]),
];

test("a mean has an interval by Student's t", () => {
  const mean = stats.meanOf([1, 2, 3]);
  assert.equal(mean.mean, 2);
  assert.ok(Math.abs(mean.high - (2 + 4.3 / Math.sqrt(3))) < 0.01);
  assert.equal(stats.meanOf([]), null);
  assert.equal(stats.meanOf([4]).low, 4);
});

test("figures count deals, games, queens and moons", () => {
  const all = stats.figures(GAMES);
  assert.deepEqual([all.deals, all.games, all.won, all.queens, all.moons, all.against], [5, 2, 1, 2, 1, 0]);
  assert.equal(all.points.mean, 9);
});

test("games are told apart by strength", () => {
  assert.deepEqual(
    stats.byLevel(GAMES, LEVELS).map((one) => [one.name, one.games.length]),
    [
      ["beginner", 1],
      ["expert", 1],
    ],
  );
  assert.equal(stats.levelOf(game(0, "gnome", [], { rules: "spot" }), LEVELS), "other");
});

test("the course runs from the oldest deal to the latest", () => {
  assert.deepEqual(
    stats.course(GAMES, 2).map((one) => one.mean),
    [0, 1, 7.5, 19.5, 15],
  );
  assert.deepEqual(stats.shares(GAMES, (one) => one.queen === 0, 5).at(-1), [5, 40]);
});

test("games won, oldest first; unfinished ones do not count", () => {
  assert.deepEqual(stats.wins([...GAMES, game(0, "net", [], { over: false })]), [
    [1, 100],
    [2, 50],
  ]);
});

test("a search needs all of its words", () => {
  assert.deepEqual(
    stats.search(GAMES, "gnome WON").map((one) => one.made),
    [1e8],
  );
  assert.deepEqual(
    stats.search(GAMES, "moon").map((one) => one.made),
    [3e8],
  );
  assert.equal(stats.search(GAMES, "gewonnen").length, 0);
  const shown = (/** @type {{ made: number }} */ one) => (one.made === GAMES[0].made ? "18.11.2026 gewonnen" : "");
  assert.deepEqual(stats.search(GAMES, "18.11 GEWONNEN", shown), [GAMES[0]], "what is shown is found");
  assert.equal(stats.search(GAMES, "").length, 2);
});

test("advice follows from the figures", () => {
  assert.deepEqual(stats.practise(stats.figures(GAMES)), ["play"]);
  const bad = Array.from({ length: 20 }, () => deal(20, { shooter: 2 }));
  assert.deepEqual(stats.practise(stats.figures([game(1, "net", bad)])), ["queen", "moon", "duck", "puzzles"]);
});

test("hands are compared with chance", () => {
  const sum = Array.from({ length: 14 }, (_, k) => stats.heartsChance(k)).reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(sum - 1) < 1e-9);
  const found = stats.hands(GAMES);
  assert.deepEqual([found.deals, found.queens, found.hearts[0].value], [5, 5, 5]);
  assert.ok(Math.abs(stats.deviation(5, 5, 0.25) - 3.87) < 0.01);
});

test("a record goes through a link unchanged, and rubbish does not", async () => {
  const record = { hands: [HAND], tricks: [[0, "2C 3C"]], players: ["Zoë ♥"] };
  const text = await packed(record);
  assert.match(text, /^[\w-]+$/);
  assert.deepEqual(await unpacked(text), record);
  await assert.rejects(unpacked("AAAA"));
  await assert.rejects(packed({ hands: ["<b>"] }).then(unpacked));
});
