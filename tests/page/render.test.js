import assert from "node:assert/strict";
import { before, test } from "node:test";
import { el, find, render, svg, textOf } from "../../src/heartlab/web/page/render.js";

/** As much of a document as the renderer uses. */
class FakeNode {
  constructor(tag, text) {
    Object.assign(this, { tag, nodeValue: text ?? null, nodeType: tag ? 1 : 3, childNodes: [], parentNode: null });
    Object.assign(this, { attributes: {}, listeners: {}, vars: {}, value: "" });
    this.style = {
      setProperty: (name, value) => {
        this.vars[name] = value;
      },
      removeProperty: (name) => {
        delete this.vars[name];
      },
    };
  }
  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  get nextSibling() {
    const all = this.parentNode.childNodes;
    return all[all.indexOf(this) + 1] ?? null;
  }
  insertBefore(node, before) {
    node.parentNode?.removeChild(node);
    const all = this.childNodes;
    all.splice(before ? all.indexOf(before) : all.length, 0, node);
    node.parentNode = this;
  }
  removeChild(node) {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
    node.parentNode = null;
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
  addEventListener(name, act) {
    this.listeners[name] = [...(this.listeners[name] ?? []), act];
  }
  get text() {
    return this.nodeType === 3 ? this.nodeValue : this.childNodes.map((node) => node.text).join("");
  }
}

before(() => {
  globalThis.document = {
    createElement: (tag) => new FakeNode(tag),
    createElementNS: (_, tag) => new FakeNode(tag),
    createTextNode: (text) => new FakeNode("", text),
  };
});

const list = (...keys) =>
  el(
    "ul",
    {},
    keys.map((key) => el("li", { key, text: key })),
  );

test("a view is plain data with its text and its parts", () => {
  const view = el("p", { class: "a b" }, "one ", [el("b", { text: 2 }), null, false, svg("g", {})]);
  assert.equal(textOf(view), "one 2");
  assert.equal(find(view, "b").length, 1);
  assert.equal(find(view, ".b").length, 1);
});

test("nodes with a key stay, wherever others come and go", () => {
  const root = new FakeNode("div");
  render(root, list("a", "b", "c"));
  const [a, b, c] = root.firstChild.childNodes;
  render(root, list("x", "a", "c"));
  assert.deepEqual(
    root.firstChild.childNodes.map((node) => node.text),
    ["x", "a", "c"],
  );
  assert.equal(root.firstChild.childNodes[1], a);
  assert.equal(root.firstChild.childNodes[2], c);
  assert.equal(b.parentNode, null);
});

test("a node that goes does not move its neighbours: the focus stays", () => {
  const root = new FakeNode("div");
  render(root, list("a", "b", "c"));
  const inserted = [];
  const { insertBefore } = root.firstChild;
  root.firstChild.insertBefore = function (node, ...rest) {
    inserted.push(node.text);
    insertBefore.call(this, node, ...rest);
  };
  render(root, list("b", "c"));
  assert.deepEqual(inserted, []);
});

test("the same node gets new attributes, text and listeners", () => {
  const root = new FakeNode("div"),
    clicks = [];
  const view = (n) =>
    el("button", { class: n ? "on" : null, vars: { x: n }, onclick: () => clicks.push(n), text: `n ${n}` });
  render(root, view(0));
  const button = root.firstChild;
  render(root, view(1));
  assert.equal(root.firstChild, button);
  assert.deepEqual([button.attributes, button.vars, button.text], [{ class: "on" }, { "--x": "1" }, "n 1"]);
  for (const act of button.listeners.click) act();
  assert.deepEqual(clicks, [1]);
});

test("what somebody has typed stays until the view says something else", () => {
  const root = new FakeNode("div");
  render(root, el("input", { value: "a" }));
  root.firstChild.value = "typed";
  render(root, el("input", { value: "a", class: "busy" }));
  assert.equal(root.firstChild.value, "typed");
  render(root, el("input", { value: "b" }));
  assert.equal(root.firstChild.value, "b");
});
