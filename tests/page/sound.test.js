import assert from "node:assert/strict";
import { test } from "node:test";
import { soundOf } from "../../src/heartlab/web/page/sound.js";

/** A view after something has happened. @param {any} event @param {any} more */
const after = (event, more = {}) =>
  /** @type {any} */ ({
    event: { winner: null, ...event },
    last: [],
    points: [0, 0, 0, 0],
    phase: "play",
    limit: 100,
    winners: [],
    ...more,
  });

test("a card falls, a trick is swept, Q♠ has a sound of its own", () => {
  assert.deepEqual(soundOf(after({ kind: "played" })), { card: true, tune: "" });
  assert.deepEqual(soundOf(after({ kind: "played", winner: 2 })), { card: true, tune: "sweep" });
  const queen = { last: [[1, "QS"]], points: [0, 13, 0, 0] };
  assert.deepEqual(soundOf(after({ kind: "played", winner: 1 }, queen)), { card: true, tune: "queen" });
  assert.deepEqual(soundOf(after({ kind: "seats" })), { card: false, tune: "" });
});

test("a moon is heard with its last card, or when its shooter has chosen who gets the points", () => {
  const shot = { reveal: { shooter: 0 }, phase: "over" };
  assert.deepEqual(soundOf(after({ kind: "over", winner: 0 }, shot)), { card: true, tune: "moon" });
  assert.deepEqual(soundOf(after({ kind: "moon" }, shot)), { card: false, tune: "moon" });
});

test("the end of a game is won or lost", () => {
  const end = { phase: "end", reveal: { shooter: null }, winners: [0] };
  assert.equal(soundOf(after({ kind: "over", winner: 0 }, end)).tune, "won");
  assert.equal(soundOf(after({ kind: "over", winner: 0 }, { ...end, winners: [2] })).tune, "lost");
});
