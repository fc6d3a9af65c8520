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

/** Whether a name means the person in front of the page. @param {string} name */
export const isYou = (name) => name === "You";

/** What somebody is called here: the name that nobody chose is translated. @param {string} name */
export const called = (name) => (isYou(name) ? t("you") : name);
