import assert from "node:assert/strict";
import { test } from "node:test";
import { makeHeard } from "../../src/heartlab/web/page/heard.js";
import { initial } from "../../src/heartlab/web/page/state.js";
import { makeStore } from "../../src/heartlab/web/page/store.js";

const RECORD = { hands: ["2C 3C", "4C 5C", "6C 7C", "8C 9C"], tricks: [[0, "2C 4C 6C 8C"]] };

/** A page that shows a replay. @param {any} hint what the coach said of it, or that it thinks */
function replaying(hint, at = 2) {
  const store = makeStore(initial({ house: "key", table: null, page: "analysis", rest: "" }));
  store.update({ replay: /** @type {any} */ ({ deals: { records: [RECORD] }, number: 0, at, hint }) });
  const told = /** @type {string[]} */ ([]);
  const acts = { own: {}, seed: {}, tell: (/** @type {string} */ text) => told.push(text), notice() {}, show() {} };
  const heard = makeHeard(/** @type {any} */ ({ store }), /** @type {any} */ (acts));
  return { store, heard, told };
}

const answer = /** @type {any} */ ({ type: "coaching", at: 3, first: "Play 6♣.", words: ["Because."], cards: [] });

test("the coach's answer stands in a replay that asked for it", () => {
  const { store, heard, told } = replaying("thinking");
  heard.coaching(answer);
  assert.equal(store.now.replay?.hint, answer);
  assert.deepEqual(told, ["Play 6♣. Because."]);
});

test("an answer that comes after a step to another decision is not shown there", () => {
  for (const { store, heard, told } of [replaying(null, 3), replaying("thinking", 3), replaying(null)]) {
    const before = store.now.replay?.hint;
    heard.coaching(answer);
    assert.equal(store.now.replay?.hint, before);
    assert.deepEqual(told, []);
  }
});

test("the progress of a review does not let a replay think for ever", () => {
  const { store, heard } = replaying(undefined);
  heard.progress(/** @type {any} */ ({ type: "progress", text: "Trick 3 of 13." }));
  assert.equal(store.now.replay?.hint, undefined);
  const asked = replaying("thinking");
  asked.heard.progress(/** @type {any} */ ({ type: "progress", text: "Loading." }));
  assert.equal(asked.store.now.replay?.hint, "Loading.");
});

test("a check that fails is not busy for ever", () => {
  const { store, heard } = replaying(undefined);
  store.update({ checks: "busy" });
  heard.failed(/** @type {any} */ ({ type: "failed", code: "limit", text: "too many messages" }));
  assert.equal(store.now.checks, null);
});
