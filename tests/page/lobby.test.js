import assert from "node:assert/strict";
import { test } from "node:test";
import { initial } from "../../src/heartlab/web/page/state.js";
import { readiness } from "../../src/heartlab/web/page/views/lobby.js";
import { textOf } from "../../src/heartlab/web/page/render.js";

test("whoever has pressed Play is told of nothing that the table does not wait for", () => {
  const state = { ...initial({ house: "key", table: null, page: "", rest: "" }), starting: true };
  /** @param {number} done @param {string} what */
  const said = (done, what) => textOf(readiness({ ...state, ready: /** @type {any} */ ({ done, of: 7, what }) }));
  assert.match(said(0, "table"), /the table is being prepared, 0 of 7 done/);
  assert.equal(said(5, "ace:worlds=48"), "Dealing …");
});
