import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { moments } from "../../src/heartlab/web/page/replay.js";

const games = JSON.parse(readFileSync(new URL("../data/games-0.1.json", import.meta.url), "utf8"));
const [record] = Object.values(games).find((message) => message.type === "deals").records;

test("a recorded deal is stepped through card by card", () => {
  const list = moments(record);
  assert.equal(list.length, 2 + 52);
  assert.equal(list[0].note, "As dealt");
  assert.equal(list[1].note, /^After passing (to the (left|right)|across)$/.exec(list[1].note)[0]);
  assert.deepEqual(list.at(-1).hands, [[], [], [], []]);
  assert.equal(
    list.at(-1).tricks.reduce((sum, value) => sum + value, 0),
    13,
  );
  for (const moment of list) assert.equal(new Set(moment.hands.flat()).size, moment.hands.flat().length);
});

test("whoever takes a trick leads to the next one", () => {
  const winners = moments(record)
    .filter((one) => one.winner !== null)
    .map((one) => one.winner);
  assert.deepEqual(
    winners.slice(0, -1),
    record.tricks.slice(1).map(([leader]) => leader),
  );
});

test("cards change hands in every direction", () => {
  const hands = ["2C 3C", "4C 5C", "6C 7C", "8C 9C"],
    gives = ["2C", "4C", "6C", "8C"];
  const after = (values) => moments({ hands, gives, ...values })[1].hands.map((hand) => hand.join(" "));
  assert.deepEqual(after({ pass: "left" }), ["3C 8C", "5C 2C", "7C 4C", "9C 6C"]);
  assert.deepEqual(after({ pass: "right" }), ["3C 4C", "5C 6C", "7C 8C", "9C 2C"]);
  assert.deepEqual(after({ pass: "across" }), ["3C 6C", "5C 8C", "7C 2C", "9C 4C"]);
  assert.deepEqual(after({ pass: "+1" }), after({ pass: "left" }));
  assert.deepEqual(after({ pass: "pool", gets: ["2C", "8C", "4C", "6C"] }), ["3C 2C", "5C 8C", "7C 4C", "9C 6C"]);
});

test("scattered cards go to each of the others in turn", () => {
  const record = { hands: ["2C 3C", "4C 5C", "6C 7C"], gives: ["2C 3C", "4C 5C", "6C 7C"], pass: "scatter" };
  assert.deepEqual(moments(record)[1].hands, [
    ["5C", "6C"],
    ["2C", "7C"],
    ["3C", "4C"],
  ]);
});

test("a sentence names people, not the players of bots", () => {
  const players = ["You", "Ada (gnome:jake)", "", "Ines"];
  const list = moments({ hands: ["2C", "4C", "6C", "8C"], tricks: [[0, "2C 4C 6C 8C"]], players });
  assert.deepEqual(
    list.slice(1).map((one) => one.note.slice("Trick 1: ".length)),
    ["You play 2♣", "Ada plays 4♣", "Seat 2 plays 6♣", "Ines plays 8♣"],
  );
});
