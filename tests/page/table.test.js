import assert from "node:assert/strict";
import { test } from "node:test";
import { place } from "../../src/heartlab/web/page/views/felt.js";
import { passSteps, status, tell, way } from "../../src/heartlab/web/page/words.js";

const NAMES = ["You", "Ada", "Emil", "Ines"];
const VIEW = {
  names: NAMES,
  phase: "play",
  to_move: 0,
  trick: [],
  legal: ["2C", "TC"],
  received: [],
  points: [0, 1, 0, 25],
  pass_count: 3,
  direction: "left",
  event: { kind: "played", seat: 3, card: "QS", winner: null },
};

test("seats stand clockwise, seat 0 below", () => {
  const near = (seat, players, wanted) =>
    place(seat, players).forEach((value, index) => {
      assert.ok(Math.abs(value - wanted[index]) < 1e-9);
    });
  near(0, 4, [0, 1]);
  near(1, 4, [-1, 0]);
  near(2, 4, [0, -1]);
  near(3, 4, [1, 0]);
});

test("pass directions in words", () => {
  assert.equal(way("left", NAMES), "to Ada (to the left)");
  assert.equal(way("right", NAMES), "to Ines (to the right)");
  assert.equal(way("across", NAMES), "to Emil (across)");
  assert.equal(way("-1", NAMES), "to Ines (-1)");
  assert.equal(way("+2", [...NAMES, "Lou"]), "to Emil (+2)");
  assert.equal(way("pool", NAMES), "into a pool");
  assert.ok(Number.isNaN(passSteps("scatter", 4)));
});

test("the status line says what is expected", () => {
  assert.equal(status(VIEW, null), "Your lead.");
  assert.equal(status({ ...VIEW, trick: [[3, "QS"]] }, null), "Your turn.");
  assert.equal(status({ ...VIEW, to_move: 2 }, null), "Emil is thinking …");
  assert.equal(status({ ...VIEW, to_move: null }, null), "Somebody is thinking …");
  assert.equal(status(VIEW, 0), "You take the trick.");
  assert.equal(status(VIEW, 1), "Ada takes the trick.");
  assert.equal(status({ ...VIEW, phase: "pass" }, null), "Pass 3 cards to Ada (to the left).");
  assert.equal(status({ ...VIEW, phase: "over" }, null), "The deal is over.");
});

test("a screen reader hears what happened", () => {
  assert.equal(tell(VIEW), "Ines plays queen of spades. Your turn; you may play 2♣ 10♣.");
  const won = { ...VIEW, legal: [], event: { kind: "over", seat: 0, card: "2H", winner: 3 } };
  assert.equal(
    tell(won),
    "You play two of hearts. Ines takes the trick. The deal is over: You 0, Ada 1, Emil 0, Ines 25.",
  );
  const passed = { ...VIEW, received: ["AS"], event: { kind: "passed", seat: 0, card: null, winner: null } };
  const mine = { ...passed, received: [], phase: /** @type {const} */ ("pass") };
  assert.equal(tell(mine), "", "one's own pass is no new deal");
  assert.equal(tell(passed), "You received ace of spades.");
  const undone = { ...VIEW, event: { kind: "undone", seat: 0, card: null, winner: null } };
  assert.equal(tell(undone), "Card taken back. Your turn.");
});

test("the end of a game is told as such, but a daily deal has no game", () => {
  assert.equal(status({ ...VIEW, phase: "over", limit: 100 }, null), "The deal is over.");
  assert.equal(status({ ...VIEW, phase: "end", limit: 100 }, null), "The game is over.");
  assert.equal(status({ ...VIEW, phase: "end", limit: 100, daily: "2026-11-19" }, null), "The deal is over.");
});

test("among friends the status line says who waits for you", () => {
  const over = { ...VIEW, phase: "over", friends: true, people: ["person", "person", "bot", "person"] };
  assert.equal(status({ ...over, waiting: [0, 1, 3] }, null), "The deal is over.");
  assert.equal(status({ ...over, waiting: [0, 3] }, null), "Ada is waiting for you.");
  assert.equal(status({ ...over, waiting: [0] }, null), "Ada and Ines are waiting for you.");
  assert.equal(status({ ...over, waiting: [1] }, null), "Waiting for Ada …");
});
