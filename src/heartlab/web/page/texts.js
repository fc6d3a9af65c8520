// All texts of the page, by name. Each language is one catalogue; a test compares their names and places.
import { EN } from "./texts/en.js";
import { DE } from "./texts/de.js";
import { language } from "./options.js";

/** @typedef {keyof typeof EN} Name */
/** @typedef {Record<string, any>} Values */

const CATALOGUES = { en: EN, de: DE };

/** A text of a catalogue with values in its places. @param {Name} name @param {Values} [values] @returns {string} */
export function t(name, values = {}) {
  const text = CATALOGUES[language()][name] ?? EN[name];
  if (typeof text === "function") return text(values);
  return text.replace(/\{(\w+)\}/g, (_, place) => String(values[place]));
}

/**
 * A text whose name is put together; the name itself if there is none.
 * @param {string} name
 * @param {Values} [values]
 */
export const some = (name, values) => (name in EN ? t(/** @type {Name} */ (name), values) : name);

/** Rules that the server offers, with what they are. @param {{ name: string, note: string }} preset */
export const presetText = ({ name, note }) => `${name}: ${`preset.${name}` in EN ? some(`preset.${name}`) : note}`;

/** What kind of player a bot is. @param {{ name: string, level: string }} opponent */
export const playerText = ({ name, level }) => (`player.${name}` in EN ? some(`player.${name}`) : level);

/** Whether a name means the person in front of the page. @param {string} name */
export const isYou = (name) => name === "You";

/** A seat of a record, which names the player of a bot behind its name. @param {string} name */
export const seated = (name) =>
  called(name).replace(/ \((.+)\)$/, (_, player) => ` (${playerText({ name: player, level: player })})`);

/** What somebody is called here: the name that nobody chose is translated. @param {string} name */
export const called = (name) => (isYou(name) ? t("you") : name);

/**
 * What the server says, as a sentence for people: where in a text something is wrong is told as people say it, a long
 * list of cards is left out.
 * @param {string} text
 * @param {number} above lines before the first one that the person has typed
 */
export function sentence(text, above = 0) {
  const plain = text
    .replace(/^<\w+>:\d+: (?=`hand )/, "")
    .replace(/^<\w+>:(\d+): /, (_, n) => t("read.line", { n: n - above }))
    .replace(/ \(in no hand: [^)]{60,}\)/, "")
    .trim();
  const told = plain.replace(/^\p{Ll}(?=\p{L}*[\s,;:])/u, (letter) => letter.toUpperCase());
  return /[.!?…)]$/.test(told) ? told : `${told}.`;
}

/** Names in a row: "Ada, Emil and Ines". @param {string[]} names as they are shown */
export const inARow = (names) =>
  names.length > 1 ? `${names.slice(0, -1).join(", ")}${t("and")}${names.at(-1)}` : names.join("");

/** A whole number; its minus is one that screen readers say. @param {number} value */
export const whole = (value) => String(value).replace("-", "−");

/** What is won or lost, with its sign. @param {number} value */
export const gain = (value) => `${value >= 0 ? "+" : ""}${whole(value)}`;

/** A number with decimals, written as the language does. @param {number} value @param {number} digits */
export const decimal = (value, digits) =>
  (Math.abs(value) < 0.5 / 10 ** digits ? 0 : value).toLocaleString(language(), {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  });
