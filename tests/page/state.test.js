import assert from "node:assert/strict";
import { test } from "node:test";
import { initial, mayCompile, screenOf } from "../../src/heartlab/web/page/state.js";

test("a link that holds a deal is opening until it is read, whoever answers first", () => {
  const state = initial({ house: "key", table: null, page: "replay", rest: "abc" });
  const hello = /** @type {any} */ ({});
  assert.equal(screenOf(state), "opening");
  assert.equal(screenOf({ ...state, hello }), "opening", "drawing a replay that is not there would fail");
  assert.equal(screenOf({ ...state, hello, replay: /** @type {any} */ ({}) }), "replay");
  assert.equal(screenOf({ ...state, hello, lost: "no deal" }), "lost");
});

test("only a bot that has not chosen yet may have to be compiled; a person thinks", () => {
  const view = /** @type {any} */ ({ phase: "play", to_move: 1, plays: 2, names: ["", "", "", ""] });
  const [people, players] = [
    ["person", "person", "bot", "bot"],
    ["", "gnome", "gnome", "net"],
  ];
  assert.equal(mayCompile({ ...view, people, players }, new Set()), false, "a friend");
  assert.equal(mayCompile({ ...view, people, players, to_move: 2 }, new Set()), true);
  assert.equal(mayCompile({ ...view, people, players, to_move: 2 }, new Set(["gnome"])), false);
});
