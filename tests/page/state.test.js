import assert from "node:assert/strict";
import { test } from "node:test";
import { initial, screenOf } from "../../src/heartlab/web/page/state.js";

test("a link that holds a deal is opening until it is read, whoever answers first", () => {
  const state = initial({ house: "key", table: null, page: "replay", rest: "abc" });
  const hello = /** @type {any} */ ({});
  assert.equal(screenOf(state), "opening");
  assert.equal(screenOf({ ...state, hello }), "opening", "drawing a replay that is not there would fail");
  assert.equal(screenOf({ ...state, hello, replay: /** @type {any} */ ({}) }), "replay");
  assert.equal(screenOf({ ...state, hello, lost: "no deal" }), "lost");
});
