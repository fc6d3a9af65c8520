import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const PAGE = new URL("../../src/heartlab/web/page/", import.meta.url);
const files = (ending) =>
  readdirSync(PAGE, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => [name, readFileSync(new URL(name, PAGE), "utf8")]);

test("no line of the page's code is longer than 120 characters", () => {
  const long = files(".js").flatMap(([name, text]) =>
    text.split("\n").flatMap((line, index) => (line.length > 120 ? [`${name}:${index + 1}`] : [])),
  );
  assert.deepEqual(long, []);
});

test("every class of the style sheets is used by the page", () => {
  const code = files(".js")
    .concat(files(".html"))
    .map(([, text]) => text)
    .join("\n");
  const names = files(".css").flatMap(([, text]) =>
    [...text.replace(/\/\*.*?\*\//gs, "").matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name),
  );
  const unused = [...new Set(names)].filter(
    (name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code) && !/^(s|suit-|players-)\w$/.test(name),
  );
  assert.deepEqual(unused, []);
});
