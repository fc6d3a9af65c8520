import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { options } from "../../src/heartlab/web/page/options.js";
import { t } from "../../src/heartlab/web/page/texts.js";
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
