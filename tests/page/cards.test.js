import assert from "node:assert/strict";
import { test } from "node:test";
import { aloud, inOrder, pretty, ranksOf, spoken } from "../../src/heartlab/web/page/cards.js";
import { tens } from "../../src/heartlab/web/page/dom.js";

test("cards in signs and in words", () => {
  assert.equal(pretty("QS"), "Q♠");
  assert.equal(pretty("TD"), "10♦");
  assert.equal(spoken("TH"), "ten of hearts");
  assert.equal(tens("Duck: T♣ stays under J♣; T stays."), "Duck: 10♣ stays under J♣; T stays.");
});

test("what a screen reader is told has no signs", () => {
  assert.equal(aloud("Pass T♣ 9♥ K♠."), "Pass ten of clubs, nine of hearts, king of spades.");
  assert.equal(
    aloud("You take Q♠ in 10 of 100 deals after 10♠."),
    "You take queen of spades in 10 of 100 deals after ten of spades.",
  );
});

test("a hand is sorted by suit, then by rank", () => {
  assert.deepEqual(["2H", "AS", "TC", "2C", "KD"].sort(inOrder), ["2C", "TC", "KD", "AS", "2H"]);
});

test("the ranks of a suit, highest first", () => {
  assert.equal(ranksOf(["2H", "AH", "TH", "AS"], "H"), "A 10 2");
  assert.equal(ranksOf(["2H"], "C"), "");
});
