// Small helpers to build the page: elements with attributes, SVG elements, announcements.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Attribute */
/** @typedef {Node | string | false | null | undefined} Leaf */
/** @typedef {Leaf | Child[]} Child */

/**
 * @template {Element} T
 * @param {T} node
 * @param {Record<string, Attribute>} attributes
 * @param {Child[]} children
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "text") node.textContent = String(value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...leaves(children));
  return node;
}

/** What is in nested lists, without what is missing. @param {Child} child @returns {(Node | string)[]} */
function leaves(child) {
  if (Array.isArray(child)) return child.flatMap(leaves);
  return child === null || child === undefined || child === false ? [] : [child];
}

/**
 * An HTML element: attributes by name, `onclick` and the like as listeners, `text` as its text.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {Child[]} children
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * An SVG element.
 * @param {keyof SVGElementTagNameMap} tag
 * @param {Record<string, Attribute>} attributes
 * @param {Child[]} children
 */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** The server writes tens with one letter; people do not. @param {string} text */
export const tens = (text) => text.replace(/\bT(?=[♣♦♠♥])/g, "10");

/** An element of index.html. @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** An element that is there in some phases only. @param {string} id */
export const mayBe = (id) => document.getElementById(id);

/** A dialog of index.html. @param {string} id */
export const dialog = (id) => /** @type {HTMLDialogElement} */ (document.getElementById(id));

/** Set CSS variables of an element. @param {HTMLElement} node @param {Record<string, string | number>} values */
export function setVars(node, values) {
  for (const [name, value] of Object.entries(values)) node.style.setProperty(`--${name}`, String(value));
  return node;
}

/** What this browser keeps under a name, or null. @param {string} name */
export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** Keep a value in this browser; one that keeps nothing still plays. @param {string} name @param {unknown} value */
export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch { /* not kept */ }
}

/**
 * Tell a screen reader. Later texts are added, so that none is lost when things happen quickly.
 * @param {string} text
 */
export function say(text) {
  const region = byId("say");
  region.append(el("span", { text: `${tens(text)} ` }));
  while (region.childNodes.length > 12) region.firstChild?.remove();
}

let hiding = 0;
/**
 * A short message that everybody sees, and that a screen reader reads at once.
 * @param {string} text
 * @param {"" | "warn"} kind
 */
export function toast(text, kind = "") {
  const box = byId("toast");
  box.textContent = tens(text);
  box.className = `toast ${kind}`;
  box.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { box.hidden = true; }, 6000);
}

/** Hide the short message: what it was about is over, and it may cover what is new. */
export function hush() {
  byId("toast").hidden = true;
}

/** Offer a text as a file. @param {string} name @param {string} text */
export function save(name, text) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
