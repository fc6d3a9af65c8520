// The renderer: views are plain data (`el`, `svg`), and `render` makes the page like them, keeping every node that
// can stay.
//
// A node stays if it has the same tag and the same `key` (or, without one, the same place). So a click, a dragged
// slider, the focus and the selection survive whatever is drawn meanwhile.

const SVG = "http://www.w3.org/2000/svg";
/** Attributes that are set as properties: the attribute is only their first value. */
const PROPERTIES = new Set(["value", "checked", "selected", "disabled", "hidden", "indeterminate", "tabIndex"]);

/** @typedef {string | number | boolean | null | undefined} Plain */
/** @typedef {Plain | ((event: any) => void) | Record<string, Plain>} Attribute */
/**
 * @typedef {object} Made
 * @property {string} tag
 * @property {boolean} svg
 * @property {Plain} key
 * @property {Record<string, Attribute>} attributes
 * @property {Leaf[]} children
 */
/** @typedef {Made | string} Leaf */
/** @typedef {Made | Plain | Child[]} Child */

/** What is in nested lists, without what is missing. @param {Child} child @returns {Leaf[]} */
function leaves(child) {
  if (Array.isArray(child)) return child.flatMap(leaves);
  if (child === null || child === undefined || child === false || child === true || child === "") return [];
  return [typeof child === "object" ? child : String(child)];
}

/**
 * @param {string} tag
 * @param {boolean} svg
 * @param {Record<string, Attribute>} given
 * @param {Child[]} children
 * @returns {Made}
 */
function made(tag, svg, { key, text, ...attributes }, children) {
  const all = [/** @type {Plain} */ (text), ...children].flatMap(leaves);
  return { tag, svg, key: /** @type {Plain} */ (key), attributes, children: all };
}

/**
 * An HTML element: attributes by name, `onclick` and the like as listeners, `text` as its text, `key` as its identity
 * among its siblings, `vars` as its CSS variables.
 * @param {keyof HTMLElementTagNameMap} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {Child[]} children
 */
export const el = (tag, attributes = {}, ...children) => made(tag, false, attributes, children);

/**
 * An SVG element.
 * @param {keyof SVGElementTagNameMap} tag
 * @param {Record<string, Attribute>} attributes
 * @param {Child[]} children
 */
export const svg = (tag, attributes, ...children) => made(tag, true, attributes, children);

/** All text of a view. @param {Child} child @returns {string} */
export const textOf = (child) =>
  leaves(child)
    .map((leaf) => (typeof leaf === "string" ? leaf : textOf(leaf.children)))
    .join("");

/** All elements of a view that have a tag or a class. @param {Child} child @param {string} wanted @returns {Made[]} */
export const find = (child, wanted) =>
  leaves(child).flatMap((leaf) => {
    if (typeof leaf === "string") return [];
    const classes = String(leaf.attributes.class ?? "").split(" ");
    const here = wanted.startsWith(".") ? classes.includes(wanted.slice(1)) : leaf.tag === wanted;
    return [...(here ? [leaf] : []), ...find(leaf.children, wanted)];
  });

/** What each node was made from. @type {WeakMap<Node, Made>} */
const origin = new WeakMap();
/** The listeners of each node: one for each kind of event, which calls what the last view said. */
const listening = new WeakMap();

/** @param {Element} node @param {string} name @param {Attribute} value */
function listen(node, name, value) {
  const all = listening.get(node) ?? {};
  if (!(name in all)) node.addEventListener(name, (event) => listening.get(node)[name]?.(event));
  all[name] = value || null;
  listening.set(node, all);
}

/** @param {HTMLElement} node @param {any} before @param {any} now */
function setVars(node, before, now) {
  for (const name of Object.keys({ ...before, ...now })) {
    if (before?.[name] === now?.[name]) continue;
    if (now?.[name] === undefined) node.style.removeProperty(`--${name}`);
    else node.style.setProperty(`--${name}`, String(now[name]));
  }
}

/** @param {any} node @param {string} name @param {Attribute} before @param {Attribute} now */
function setAttribute(node, name, before, now) {
  if (name === "vars") setVars(node, before, now);
  else if (name.startsWith("on")) listen(node, name.slice(2), now);
  else if (before === now) return;
  else if (PROPERTIES.has(name)) node[name] = now ?? (name === "value" ? "" : false);
  else if (now === false || now === null || now === undefined) node.removeAttribute(name);
  else node.setAttribute(name, now === true ? "" : String(now));
}

/** @param {Element} node @param {Made | undefined} before @param {Made} now */
function dress(node, before, now) {
  const old = before?.attributes ?? {};
  for (const name of Object.keys({ ...old, ...now.attributes })) {
    if (name !== "value") setAttribute(node, name, old[name], now.attributes[name]);
  }
  fit(node, now.children);
  // The value of a choice can only be set once its options are there.
  if ("value" in now.attributes) setAttribute(node, "value", old.value, now.attributes.value);
  origin.set(node, now);
}

/** @param {Leaf} leaf @returns {Node} */
function make(leaf) {
  if (typeof leaf === "string") return document.createTextNode(leaf);
  const node = leaf.svg ? document.createElementNS(SVG, leaf.tag) : document.createElement(leaf.tag);
  dress(node, undefined, leaf);
  return node;
}

/** Whether a node can become what a view says. @param {Node} node @param {Leaf} leaf */
function fits(node, leaf) {
  const old = origin.get(node);
  if (typeof leaf === "string") return !old && node.nodeType === 3;
  return old !== undefined && old.tag === leaf.tag && old.key === leaf.key;
}

/** @param {Leaf} leaf */
const keyOf = (leaf) => (typeof leaf === "string" ? undefined : leaf.key);

/** Make the children of a node like those of a view. @param {Element} parent @param {Leaf[]} wanted */
function fit(parent, wanted) {
  const keyed = new Map(),
    keys = new Set(wanted.map(keyOf));
  for (const node of [...parent.childNodes]) {
    const key = origin.get(node)?.key;
    if (key === undefined || key === null) continue;
    // What goes makes room first: the others need not move, so the focus stays.
    if (keys.has(key)) keyed.set(key, node);
    else drop(node);
  }
  /** @type {Node | null} */
  let here = parent.firstChild;
  for (const leaf of wanted) {
    const key = keyOf(leaf);
    const named = key !== undefined && key !== null ? keyed.get(key) : undefined;
    // What stands here and is wanted later stays: the new node goes before it.
    while (!named && here && !fits(here, leaf) && !isKeyed(here)) here = drop(here);
    const node = named && fits(named, leaf) ? named : here && !named && fits(here, leaf) ? here : make(leaf);
    if (node === here) here = node.nextSibling;
    else parent.insertBefore(node, here);
    if (typeof leaf === "string") {
      if (node.nodeValue !== leaf) node.nodeValue = leaf;
    } else if (origin.get(node) !== leaf) dress(/** @type {Element} */ (node), origin.get(node), leaf);
  }
  while (here) here = drop(here);
}

/** Whether a node has a key, and so is wanted in another place. @param {Node} node */
const isKeyed = (node) => (origin.get(node)?.key ?? null) !== null;

/** Remove a node; returns the one after it. @param {Node} node */
function drop(node) {
  const next = node.nextSibling;
  node.parentNode?.removeChild(node);
  return next;
}

/** Make what is in `root` like a view. @param {Element} root @param {Child} view */
export function render(root, view) {
  fit(root, leaves(view));
}
