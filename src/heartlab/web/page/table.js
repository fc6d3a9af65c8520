// The table itself: seats around, the trick in the middle, the hand below. Draws one view; knows nothing of the line.
import { el, setVars } from "./dom.js";
import { face, inOrder, pretty, spoken } from "./cards.js";

/** @typedef {import("./pace.js").Shown} Shown */
/** @typedef {import("../protocol").View} View */
/**
 * What is drawn: a view of the protocol, or a puzzle in its place, which has no scores.
 * @typedef {Omit<View, "type" | "event" | "phase" | "scores" | "faults" | "commitment"> & {
 *   phase: View["phase"] | "graded", scores: number[] | null, faults?: string[], commitment: string, verdict?: string,
 * }} Drawn
 */
/**
 * @typedef {object} Actions
 * @property {(card: string, byKey: boolean) => void} card
 * @property {() => void} go
 * @property {(event: Event) => void} promise
 * @property {(view: any) => HTMLButtonElement[]} buttons
 */

/**
 * Where a seat is, as fractions of the table from its centre: seat 0 below, then clockwise.
 * @param {number} seat
 * @param {number} players
 */
export function place(seat, players) {
  const angle = Math.PI / 2 + (seat * 2 * Math.PI) / players;
  return [Math.cos(angle), Math.sin(angle)];
}

/** Put a node where a seat is. @param {HTMLElement} node @param {number} seat @param {number} players */
export function placeAt(node, seat, players) {
  const [x, y] = place(seat, players);
  return setVars(node, { x: x.toFixed(3), y: y.toFixed(3) });
}

/** @type {Record<string, string>} */
const WAYS = {
  left: "to the left", right: "to the right", across: "across", scatter: "one card to each", pool: "into a pool",
};

/**
 * How many seats to the left a pass goes; NaN if it does not go to one seat.
 * @param {string} direction
 * @param {number} n
 */
export const passSteps = (direction, n) =>
  /** @type {Record<string, number>} */ ({ left: 1, right: n - 1, across: n / 2 })[direction] ?? Number(direction);

/** A pass direction in words. @param {string} direction @param {string[]} names */
export const way = (direction, names) => {
  const n = names.length, steps = passSteps(direction, n), word = WAYS[direction] ?? direction;
  return Number.isFinite(steps) ? `to ${names[((steps % n) + n) % n]} (${word})` : word;
};

/** A verb for somebody by name: "You play", "Zoe plays". @param {string} verb @param {string} name */
export const does = (verb, name) => (name === "You" ? verb : `${verb}s`);

/** @param {Drawn} view @param {number} seat @param {boolean} active */
function seatPlate(view, seat, active) {
  const points = view.points[seat], fault = view.faults?.[seat];
  const classes = `seat ${active ? "active" : ""} ${seat === 0 ? "own" : ""}`;
  const plate = el("section", { class: classes, "aria-label": view.names[seat] },
    el("div", { class: "who" },
      el("span", { class: `dot s${seat}`, "aria-hidden": "true" }),
      el("strong", { text: view.names[seat] }),
      fault && el("span", { class: "fault", role: "img", title: fault, "aria-label": fault, text: "⚠" }),
      seat > 0 && el("span", { class: "kind", text: view.players[seat] })),
    el("div", { class: "facts" },
      el("span", { class: `points ${points > 0 ? "bad" : ""}`, title: "points in this deal", text: `${points} pt` }),
      el("span", { title: "tricks in this deal", text: `${view.tricks_won[seat]} tr` }),
      view.scores && el("span", { class: "total", title: "total of the game", text: `Σ ${view.scores[seat]}` })),
    seat > 0 && el("div", { class: "backs", "aria-hidden": "true" },
      Array.from({ length: view.hand_sizes[seat] }, () => el("i"))));
  return placeAt(plate, seat, view.names.length);
}

/**
 * A card on the table.
 * @param {string} name
 * @param {number} seat
 * @param {number} players
 * @param {string} card
 * @param {string} classes
 */
export function laidCard(name, seat, players, card, classes) {
  const node = el("li", { class: `laid ${classes}`, "aria-label": `${name}: ${spoken(card)}` }, face(card));
  return placeAt(node, seat, players);
}

/** @param {Drawn} view @param {Shown} shown */
function middle(view, shown) {
  const trick = shown.trick;
  const cards = trick.map(([seat, card], index) => {
    const fresh = shown.fresh && index === trick.length - 1 ? "fresh" : "";
    return laidCard(view.names[seat], seat, view.names.length, card, `${fresh} ${shown.winner === seat ? "wins" : ""}`);
  });
  return el("ol", { class: "trick", "aria-label": trick.length ? "The trick" : "The trick is empty" }, cards);
}

/** @param {Drawn} view @param {string} card @param {Set<string>} chosen @param {Actions} actions */
function handCard(view, card, chosen, actions) {
  const legal = view.legal.includes(card) || view.may_pass.includes(card);
  const busy = view.legal.length > 0 || view.may_pass.length > 0;
  const received = view.received.includes(card) && view.plays < view.names.length * 3;
  const label = [
    spoken(card), received && "received", busy && (legal ? "may be played" : "may not be played now"),
    view.phase === "pass" && chosen.has(card) && "chosen",
  ].filter(Boolean).join(", ");
  return el("button", {
    type: "button", class: `card ${busy ? (legal ? "legal" : "illegal") : ""} ${chosen.has(card) ? "chosen" : ""}`,
    "data-card": card, "aria-label": label, tabindex: "-1", "aria-disabled": busy && !legal ? "true" : null,
    "aria-pressed": view.phase === "pass" ? String(chosen.has(card)) : null,
    onclick: (event) => actions.card(card, event.detail === 0),
  }, face(card), received && el("span", { class: "mark", title: "received", text: "new" }));
}

/**
 * The status line: what is expected now.
 * @param {Drawn} view
 * @param {number | null} winner of a trick that is still shown
 */
export function status(view, winner) {
  const { names } = view;
  if (winner !== null) return `${names[winner]} ${does("take", names[winner])} the trick.`;
  if (view.phase === "graded") return view.verdict ?? "";
  if (view.phase === "pass") return `Pass ${view.pass_count} cards ${way(view.direction, names)}.`;
  if (view.phase === "play" && view.to_move === 0) return view.trick.length ? "Your turn." : "Your lead.";
  if (view.phase === "play") return `${names[view.to_move ?? -1] ?? "Somebody"} is thinking …`;
  if (view.phase === "moon") {
    return "You shot the moon! Shall the others get the points, or does it come off your own score?";
  }
  return "The deal is over.";
}

/**
 * The old node if nothing about it has changed: a click whose node is replaced in its middle would be lost.
 * @param {HTMLElement} root
 * @param {string} selector
 * @param {string} signature
 * @param {() => HTMLElement} make
 */
function kept(root, selector, signature, make) {
  const old = /** @type {HTMLElement | null} */ (root.querySelector(selector));
  if (old && old.dataset.signature === signature) return old;
  const node = make();
  node.dataset.signature = signature;
  return node;
}

/**
 * Put nodes into `root`, leaving those alone that are there already.
 * @param {HTMLElement} root
 * @param {HTMLElement[]} nodes
 */
function arrange(root, nodes) {
  for (const child of [...root.children]) if (!nodes.includes(/** @type {HTMLElement} */ (child))) child.remove();
  for (const [index, node] of nodes.entries()) {
    if (root.children[index] !== node) root.insertBefore(node, root.children[index] ?? null);
  }
}

/** @param {Drawn} view @param {Set<string>} chosen @param {Actions} actions */
function drawHand(view, chosen, actions) {
  const hand = el("div", { class: "hand", role: "toolbar", "aria-label": "Your hand" },
    [...view.hand].sort(inOrder).map((card) => handCard(view, card, chosen, actions)));
  return setVars(hand, { count: Math.max(view.hand.length, 1) });
}

/** @param {Drawn} view @param {Actions} actions */
function drawMarkers(view, actions) {
  return el("div", { class: "markers" },
    view.breaking && el("span", {
      class: `broken ${view.broken ? "yes" : ""}`, text: view.broken ? "♥ broken" : "♥ not broken",
    }),
    view.practice && el("span", { text: "practice" }),
    view.commitment && el("button", {
      type: "button", class: "promise", title: `Hash of this deal, promised before its first card: ${view.commitment}`,
      "aria-label": "The promised hash of this deal", text: `# ${view.commitment.slice(0, 8)}`,
      onclick: actions.promise,
    }));
}

/** The cards of the hand that is drawn. @param {HTMLElement} root */
const cardsIn = (root) => [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".hand .card"))];
const focusedNode = () => /** @type {HTMLElement | null} */ (document.activeElement);

/**
 * Draw a table into `root`.
 * @param {HTMLElement} root
 * @param {Drawn} view
 * @param {Shown} shown the trick as far as it is to be seen
 * @param {Set<string>} chosen cards to be passed
 * @param {Actions} actions
 */
export function drawTable(root, view, shown, chosen, actions) {
  const focused = focusedNode()?.dataset?.card;
  const index = focused ? cardsIn(root).findIndex((node) => node.dataset.card === focused) : -1;
  const turn = shown.winner === null ? view.to_move : null;
  const looks = JSON.stringify([
    view.hand, view.legal, view.may_pass, view.received, view.phase, view.plays >= view.names.length * 3, [...chosen],
  ]);
  const hand = kept(root, ":scope > .hand", looks, () => drawHand(view, chosen, actions));
  const choices = actions.buttons(view);
  const offers = JSON.stringify(choices.map((one) => [one.textContent, one.disabled]));
  const buttons = kept(root, ":scope > .actions", offers, () => el("div", { class: "actions" }, choices));
  arrange(root, [
    el("div", { class: `felt players-${view.names.length}`, onclick: actions.go },
      view.names.map((_, seat) => seatPlate(view, seat, turn === seat)),
      middle(view, shown), drawMarkers(view, actions)),
    el("p", { class: "status", text: status(view, shown.winner) }),
    buttons, hand]);
  const cards = cardsIn(root);
  const again = cards.find((node) => node.dataset.card === focused) ?? cards[Math.min(index, cards.length - 1)];
  const first = again ?? cards.find((node) => node.classList.contains("legal")) ?? cards[0];
  for (const card of cards) card.tabIndex = card === first ? 0 : -1;
  if (focused && again && document.activeElement !== again) again.focus();
}

/** Walk through the hand with the arrow keys. @param {HTMLElement} root @param {number} step */
export function walk(root, step) {
  const cards = cardsIn(root), active = focusedNode();
  if (!cards.length) return;
  const now = active ? cards.indexOf(active) : -1;
  const next = cards[now < 0 ? (step > 0 ? 0 : cards.length - 1) : (now + step + cards.length) % cards.length];
  for (const card of cards) card.tabIndex = card === next ? 0 : -1;
  next.focus();
}

/** What happened, in words for a screen reader. @param {View} view */
export function tell(view) {
  const { event, names } = view;
  /** @param {number} seat @param {string} word */
  const does = (seat, word) => (seat === 0 ? `You ${word}` : `${names[seat]} ${word}s`);
  const totals = `The deal is over: ${names.map((name, seat) => `${name} ${view.points[seat]}`).join(", ")}.`;
  if ((event.kind === "played" || event.kind === "over") && event.seat !== null && event.card !== null) {
    const takes = event.winner !== null ? ` ${does(event.winner, "take")} the trick.` : "";
    const end = event.kind === "over" ? ` ${totals}` : "";
    const turn = view.legal.length ? ` Your turn; you may play ${view.legal.map(pretty).join(" ")}.` : "";
    return `${does(event.seat, "play")} ${spoken(event.card)}.${takes}${end}${turn}`;
  }
  if (event.kind === "passed" && view.received.length) return `You received ${view.received.map(spoken).join(", ")}.`;
  if (event.kind === "dealt" || view.phase === "pass") return `New deal. ${status(view, null)}`;
  if (event.kind === "moon") return totals;
  if (event.kind === "undone") return "Card taken back. Your turn.";
  return status(view, null);
}
