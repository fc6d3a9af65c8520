import assert from "node:assert/strict";
import { test } from "node:test";
import { handText, trickText } from "../../src/heartlab/web/page/cards.js";
import { answered, LESSONS } from "../../src/heartlab/web/page/lesson.js";
import { EN } from "../../src/heartlab/web/page/texts/en.js";

test("every lesson can be answered, and says something to every answer", () => {
  for (const { name, hand, trick, legal, right, pass } of LESSONS) {
    const all = [...hand, ...trick.map(([, card]) => card)];
    assert.equal(new Set(all).size, all.length, `${name}: a card twice`);
    assert.ok(
      legal.every((card) => hand.includes(card)),
      name,
    );
    assert.ok(
      right.every((card) => legal.includes(card)),
      name,
    );
    assert.equal(legal.length > 0, right.length > 0, name);
    assert.ok(`learn.${name}` in EN && `learn.${name}.text` in EN, name);
    if (legal.length) assert.ok(`learn.${name}.good` in EN && `learn.${name}.bad` in EN, name);
    assert.ok(pass === 0 || pass === 3);
    const led = trick[0]?.[1][1];
    const following = hand.filter((card) => card[1] === led);
    if (following.length) assert.deepEqual(legal, following, `${name}: suit must be followed`);
  }
});

test("a click is right, allowed, or forbidden", () => {
  const step = LESSONS.findIndex((one) => one.name === "follow");
  const begin = { step, picked: [], verdict: "" };
  assert.equal(answered(begin, "TH").verdict, "illegal");
  assert.equal(answered(begin, "AC").verdict, "bad");
  const good = answered(begin, "5C");
  assert.deepEqual(good, { step, picked: ["5C"], verdict: "good" });
  assert.equal(answered(good, "AC"), good, "what is done is done");
});

test("three cards are chosen to be passed, and can be put back", () => {
  let progress = { step: 1, picked: [], verdict: "" };
  for (const card of ["AH", "KH", "TH"]) progress = answered(progress, card);
  assert.deepEqual([progress.picked.length, progress.verdict], [3, "bad"]);
  progress = answered(answered(progress, "TH"), "QS");
  assert.equal(progress.verdict, "good");
});

test("typed hands are read as people write them", () => {
  assert.equal(handText(" 10♥, qs;2c  A♦ "), "TH QS 2C AD");
  assert.equal(trickText("1 2: 2♣ 10♣\n trick 2  1:qs, ks"), "trick 1 2: 2C TC\ntrick 2 1: QS KS");
  assert.equal(trickText("trick 1 2: 2C\nhello\n"), "trick 1 2: 2C\nhello\n", "the reader complains about the rest");
});
