// Small helpers to build the page: elements with attributes, SVG elements, announcements.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "text") node.textContent = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An HTML element: attributes by name, `onclick` and the like as listeners, `text` as its text. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** The server writes tens with one letter; people do not. */
export const tens = (text) => text.replace(/\bT(?=[♣♦♠♥])/g, "10");

export const byId = (id) => document.getElementById(id);

/** Tell a screen reader. Later texts are added, so that none is lost when things happen quickly. */
export function say(text) {
  const region = byId("say");
  region.append(el("span", { text: `${tens(text)} ` }));
  while (region.childNodes.length > 12) region.firstChild.remove();
}

let hiding = 0;
/** A short message that everybody sees, and that a screen reader reads at once. */
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

/** Offer a text as a file. */
export function save(name, text) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
