import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Pace } from "../../src/heartlab/web/page/pace.js";
import { options } from "../../src/heartlab/web/page/options.js";

const view = (kind, seat, winner = null) => ({
  event: { kind, seat, card: "2C", winner },
  trick: [],
  last: [[seat, "2C"]],
});

function paced(hold = "2") {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  options.hold = hold;
  const shown = [];
  const pace = new Pace((one, how) => shown.push([one, how]));
  return { pace, shown };
}

test("views are shown one after the other, each for a while", () => {
  const { pace, shown } = paced();
  let rested = 0;
  pace.rested = () => {
    rested += 1;
  };
  pace.add(view("played", 1));
  pace.add(view("played", 2));
  assert.deepEqual([shown.length, pace.idle], [1, false]);
  mock.timers.tick(Number(options.pace));
  assert.deepEqual([shown.length, pace.idle, rested], [2, false, 0]);
  mock.timers.tick(Number(options.pace));
  assert.deepEqual([shown.length, pace.idle, rested], [2, true, 1]);
});

test("a finished trick stays with its winner, then the table is cleared", () => {
  const { pace, shown } = paced();
  pace.add(view("played", 3, 1));
  assert.equal(shown[0][1].winner, 1);
  mock.timers.tick(1799);
  assert.equal(shown.length, 1);
  mock.timers.tick(1);
  assert.deepEqual(shown[1][1], { trick: [], winner: null, fresh: false });
  assert.ok(pace.idle);
});

test("with hold=click a trick waits for the person", () => {
  const { pace, shown } = paced("click");
  pace.add(view("played", 3, 1));
  pace.add(view("played", 1));
  mock.timers.tick(60000);
  assert.deepEqual([shown.length, pace.idle], [1, false]);
  assert.ok(pace.go());
  assert.equal(shown.length, 3);
});

test("who comes and goes neither takes time nor waits for a click", () => {
  const { pace, shown } = paced();
  pace.add(view("seats", 1));
  assert.deepEqual([shown.length, pace.idle], [1, true], "a click would be taken for impatience");
  pace.add(view("played", 1));
  pace.add(view("seats", 2));
  assert.deepEqual([shown.length, pace.idle], [2, false]);
  mock.timers.tick(Number(options.pace));
  assert.deepEqual([shown.length, pace.idle], [3, true]);
});

test("clear forgets what waits", () => {
  const { pace, shown } = paced();
  pace.add(view("played", 1));
  pace.add(view("played", 2));
  pace.clear();
  mock.timers.tick(60000);
  assert.deepEqual([shown.length, pace.idle, pace.go()], [1, true, false]);
});
