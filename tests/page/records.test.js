import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "../../src/heartlab/web/page/records.js";

const LIMITS = { record: 1000, records: 3 };
const lines = (text) => text.split("\n");

test("a small file stays as it is", () => {
  const text = "# a remark\n%hearts 1\ndeal 0\nhand 0 2C\n";
  assert.deepEqual(partsOf(text, LIMITS), { parts: [text], tooLong: false });
});

test("lines of JSON are cut into parts within the limits", () => {
  const deals = Array.from({ length: 8 }, (_, number) => JSON.stringify({ hearts: 1, deal: number }));
  const { parts, tooLong } = partsOf(`\ufeff${deals.join("\r\n")}`, LIMITS);
  assert.equal(tooLong, false);
  assert.deepEqual(
    parts.map((part) => lines(part).length),
    [3, 3, 2],
  );
  assert.deepEqual(parts.flatMap(lines), deals);
});

test("every part of a text file has its head, and whole deals", () => {
  const deal = (number) => `deal ${number}\n${"x".repeat(400)}`;
  const { parts } = partsOf(["%hearts 1", deal(0), deal(1), deal(2)].join("\n"), LIMITS);
  assert.deepEqual(parts, [`%hearts 1\n${deal(0)}\n${deal(1)}`, `%hearts 1\n${deal(2)}`]);
  assert.ok(parts.every((part) => part.length <= LIMITS.record));
});

test("a deal beyond the limit is told", () => {
  assert.ok(partsOf(`%hearts 1\ndeal 0\n${"x".repeat(1200)}`, LIMITS).tooLong);
});
