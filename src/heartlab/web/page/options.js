// What a person likes: pace, sound, colours, language. Kept in this browser.
import { isPhone, keep, recall } from "./dom.js";

const KEY = "heartlab-options";
const DEFAULTS = {
  pace: "550",
  hold: "2",
  auto: false,
  check: false,
  fourColours: true,
  theme: "system",
  felt: "green",
  motion: "system",
  name: "You",
  sound: /** @type {boolean | null} */ (null),
  size: "normal",
  language: "system",
  level: "casual",
};
/** The choices and switches of the dialog; the catalogue has their titles as `option.NAME` and `option.NAME.VALUE`. */
export const CHOICES = {
  pace: ["150", "550", "1100"],
  hold: ["1", "2", "4", "click"],
  size: ["normal", "large", "largest"],
  theme: ["system", "light", "dark"],
  felt: ["green", "blue", "wine", "slate"],
  motion: ["system", "none"],
  language: ["system", "en", "de"],
};
export const SWITCHES = /** @type {const} */ (["auto", "check", "fourColours"]);

/** @type {typeof DEFAULTS & Record<string, string | boolean | null>} */
export const options = { ...DEFAULTS, ...recall(KEY) };

/** Keep a choice and follow it. @param {string} name @param {string | boolean} value */
export function setOption(name, value) {
  Object.assign(options, { [name]: value });
  keep(KEY, options);
  apply();
}

/** Put the options on the page. */
export function apply() {
  const root = document.documentElement;
  Object.assign(root.dataset, {
    theme: options.theme,
    felt: options.felt,
    colours: options.fourColours ? "four" : "two",
    motion: options.motion,
    size: options.size,
  });
  root.lang = language();
}

/** The language of the page: chosen, or that of the browser if we speak it. */
export function language() {
  const wanted = options.language === "system" ? (globalThis.navigator?.language ?? "en") : options.language;
  return String(wanted).startsWith("de") ? "de" : "en";
}

/** Whether things may move. */
export const moves = () => options.motion !== "none" && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether the table may be heard: as chosen; otherwise on, but not on phones. */
export const sounds = () => options.sound ?? !isPhone();
