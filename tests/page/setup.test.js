import assert from "node:assert/strict";
import { test } from "node:test";
import { cardsOf, clicked, filled, ownerOf } from "../../src/heartlab/web/page/setup.js";

const EMPTY = { seat: 0, hands: ["", "", "", ""] };

test("a click gives a card to the seat that is chosen, and takes it from whoever had it", () => {
  const first = clicked(clicked(EMPTY, "QS"), "2C");
  assert.deepEqual(first.hands, ["2C QS", "", "", ""]);
  assert.equal(ownerOf(first, "QS"), 0);
  const moved = clicked({ ...first, seat: 2 }, "QS");
  assert.deepEqual(moved.hands, ["2C", "", "QS", ""]);
  assert.deepEqual(clicked(moved, "QS").hands, ["2C", "", "", ""], "a second click puts it back");
});

test("a full hand hands on to the next seat, and takes no more", () => {
  const ranks = [..."23456789TJQKA"];
  const full = ranks.reduce((setup, rank) => clicked(setup, `${rank}S`), EMPTY);
  assert.deepEqual([full.seat, cardsOf(full.hands[0]).length], [1, 13]);
  assert.deepEqual(clicked({ ...full, seat: 0 }, "2H").hands, full.hands);
});

test("what is typed counts as people write it", () => {
  assert.deepEqual(cardsOf("10♥, qs qs xx"), ["TH", "QS"]);
});

test("what is missing is dealt at random, and everything if nothing is missing", () => {
  const some = { seat: 1, hands: ["QS 2C", "", "AH", ""] };
  const whole = filled(some, 5);
  const all = whole.hands.flatMap(cardsOf);
  assert.equal(new Set(all).size, 52);
  assert.deepEqual(
    whole.hands.map((hand) => cardsOf(hand).length),
    [13, 13, 13, 13],
  );
  assert.ok(cardsOf(whole.hands[0]).includes("QS") && cardsOf(whole.hands[2]).includes("AH"));
  assert.notDeepEqual(filled(whole, 6).hands, whole.hands);
});
