import assert from "node:assert/strict";
import { test } from "node:test";
import { makeStore } from "../../src/heartlab/web/page/store.js";
import { routeOf } from "../../src/heartlab/web/page/routes.js";
import { initial, screenOf } from "../../src/heartlab/web/page/state.js";

test("a change replaces the state and is told once, with the state before", () => {
  const store = makeStore({ a: 1, b: 2 }),
    told = [];
  const first = store.now;
  store.listen((now, before) => told.push([now, before]));
  store.update({ a: 3 });
  assert.deepEqual(told, [[{ a: 3, b: 2 }, first]]);
  assert.deepEqual(first, { a: 1, b: 2 });
});

test("a change by a listener is told after, so that nobody sees an older state last", () => {
  const store = makeStore({ n: 0 }),
    seen = [];
  store.listen(({ n }) => {
    if (n === 1) store.update({ n: 2 });
  });
  store.listen(({ n }) => seen.push(n));
  store.update({ n: 1 });
  assert.deepEqual(seen, [1, 2]);
});

test("addresses: the house, a table, a page of its own", () => {
  const plain = { house: "H", table: null, page: "", rest: "" };
  assert.deepEqual(routeOf("#H"), plain);
  assert.deepEqual(routeOf("#H/T"), { ...plain, table: "T" });
  assert.deepEqual(routeOf("#H/~history/x/y"), { ...plain, page: "history", rest: "x/y" });
  assert.deepEqual(routeOf("#~replay/abc", "H"), { ...plain, page: "replay", rest: "abc" });
  assert.deepEqual(routeOf("#H/~nothing"), plain, "a page that is not there is the lobby");
  assert.deepEqual(routeOf("", ""), { ...plain, house: "" });
});

test("while the deal of a link is read, there is nothing to replay yet", () => {
  const state = { ...initial(routeOf("#~replay/abc", "H")), hello: {} };
  assert.equal(screenOf(state), "opening");
  assert.equal(screenOf({ ...state, lost: "no deal" }), "lost");
  assert.equal(screenOf({ ...state, replay: {} }), "replay");
});
