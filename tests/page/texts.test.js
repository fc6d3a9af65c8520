import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { options } from "../../src/heartlab/web/page/options.js";
import { gain, inARow, playerText, presetText, seated, sentence, t, whole } from "../../src/heartlab/web/page/texts.js";
import { DE } from "../../src/heartlab/web/page/texts/de.js";
import { EN } from "../../src/heartlab/web/page/texts/en.js";

const PAGE = new URL("../../src/heartlab/web/page/", import.meta.url);
const code = readdirSync(PAGE, { recursive: true })
  .filter((name) => name.endsWith(".js") && !name.startsWith("texts/"))
  .map((name) => [name, readFileSync(new URL(name, PAGE), "utf8")]);

/** The places of a text. A function names what it takes. */
const places = (text) =>
  typeof text === "function"
    ? [...(text.toString().match(/^\(\{([^}]*)\}\)/)?.[1] ?? "").matchAll(/\w+/g)].map(([name]) => name).sort()
    : [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();

test("German says everything that English says", () => {
  assert.deepEqual(Object.keys(DE).sort(), Object.keys(EN).sort());
});

test("a text has no place that the other language does not fill", () => {
  const known = (name) => new Set([...places(EN[name]), ...(name === "card.spoken" ? ["suitOf", "suit"] : [])]);
  const wrong = Object.keys(EN).filter((name) => places(DE[name]).some((place) => !known(name).has(place)));
  assert.deepEqual(wrong, []);
});

test("every name that the page uses is in the catalogue, and every text is used", () => {
  const all = code.map(([, text]) => text).join("\n");
  const named = [...all.matchAll(/\bt\(\s*"([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(
    named.filter((name) => !(name in EN)),
    [],
  );
  const begun = [...all.matchAll(/`([a-zA-Z]+)\.\$\{/g)].map(([, name]) => `${name}.`);
  const unused = Object.keys(EN).filter(
    (name) => !all.includes(`"${name}"`) && !begun.some((start) => name.startsWith(start)),
  );
  assert.deepEqual(unused, []);
});

test("no view has words of its own", () => {
  const found = code.flatMap(([name, text]) =>
    [...text.matchAll(/\b(?:text|title|"aria-label"|placeholder): "([A-Za-z]{3,}[^"]*)"/g)].map(
      ([, word]) => `${name}: ${word}`,
    ),
  );
  assert.deepEqual(
    found.filter(
      (one) => !one.endsWith(": Hearts") && !one.includes("players=5") && !/: (heartlab verify|trick 1)/.test(one),
    ),
    [],
  );
});

test("the language is chosen, and verbs fit the name", () => {
  options.language = "de";
  assert.equal(t("status.takes", { name: "You" }), "Du nimmst den Stich.");
  assert.equal(t("status.takes", { name: "Ada" }), "Ada nimmt den Stich.");
  options.language = "en";
  assert.equal(t("status.takes", { name: "Ada" }), "Ada takes the trick.");
});

test("offered rules and players have texts, and others keep what the server says", () => {
  assert.match(presetText({ name: "omnibus", note: "x" }), /^omnibus: .*J♦/);
  assert.equal(presetText({ name: "mine", note: "my rules" }), "mine: my rules");
  assert.equal(playerText({ name: "gnome", level: "x" }), "Beginner");
  assert.equal(playerText({ name: "./bot", level: "Yours" }), "Yours");
});

test("a seat of a record says what its player is", () => {
  assert.equal(seated("Emil (gnome:jake)"), "Emil (Casual)");
  assert.equal(seated("Emil (./bot)"), "Emil (./bot)");
  assert.equal(seated("You"), "You");
});

test("what the server says becomes a sentence", () => {
  assert.equal(sentence("this key opens no table"), "This key opens no table.");
  assert.equal(sentence("<text>:1: 'hello' is not the header"), "Line 1: 'hello' is not the header.");
  assert.equal(sentence("<text>:9: `hello` is no keyword", 8), "Line 1: `hello` is no keyword.", "as it was typed");
  const missing = "4C 5C 6C 7C 8C 9C TC JC QC KC AC 2D 3D 4D 5D 6D 7D 8D 9D TD JD";
  const told = `<text>:4: \`hand 0\` has 2 cards: the rules want 13 (in no hand: ${missing})`;
  assert.equal(sentence(told), "`hand 0` has 2 cards: the rules want 13.");
  assert.equal(sentence("<text>:7: `hand 3` has 12 cards (in no hand: AH)"), "`hand 3` has 12 cards (in no hand: AH)");
  assert.equal(sentence("Well played!"), "Well played!");
  assert.equal(sentence("moon=perhaps is unknown"), "moon=perhaps is unknown.");
});

test("a minus is one that is seen and said", () => {
  assert.deepEqual([whole(-9), whole(4), gain(-9), gain(0), gain(13)], ["−9", "4", "−9", "+0", "+13"]);
});

test("names stand in a row", () => {
  assert.deepEqual([[], ["Ada"], ["Ada", "Mia"], ["Ada", "Mia", "Zoe"]].map(inARow), [
    "",
    "Ada",
    "Ada and Mia",
    "Ada, Mia and Zoe",
  ]);
});
