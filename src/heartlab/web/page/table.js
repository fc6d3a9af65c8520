// The table itself: seats around, the trick in the middle, the hand below. Draws one view; knows nothing of the line.
import { el } from "./dom.js";
import { face, inOrder, pretty, spoken } from "./cards.js";

/** Where a seat is, as fractions of the table from its centre: seat 0 below, then clockwise. */
export function place(seat, players) {
  const angle = Math.PI / 2 + (seat * 2 * Math.PI) / players;
  return [Math.cos(angle), Math.sin(angle)];
}

const WAYS = { left: "to the left", right: "to the right", across: "across", scatter: "one card to each", pool: "into a pool" };
/** A pass direction in words. */
export const way = (direction, names) => {
  const n = names.length;
  const steps = { left: 1, right: n - 1, across: n / 2 }[direction] ?? Number(direction);
  return Number.isFinite(steps) ? `to ${names[((steps % n) + n) % n]} (${WAYS[direction] ?? direction})` : WAYS[direction] ?? direction;
};

/** A verb for somebody by name: "You play", "Zoe plays". */
export const does = (verb, name) => (name === "You" ? verb : `${verb}s`);

function seatPlate(view, seat, active) {
  const [x, y] = place(seat, view.names.length);
  const points = view.points[seat];
  const plate = el("section", { class: `seat ${active ? "active" : ""} ${seat === 0 ? "own" : ""}`, "aria-label": view.names[seat] },
    el("div", { class: "who" },
      el("span", { class: `dot s${seat}`, "aria-hidden": "true" }),
      el("strong", { text: view.names[seat] }),
      view.faults?.[seat] && el("span", { class: "fault", role: "img", title: view.faults[seat], "aria-label": view.faults[seat], text: "⚠" }),
      seat > 0 && el("span", { class: "kind", text: view.players[seat] })),
    el("div", { class: "facts" },
      el("span", { class: `points ${points > 0 ? "bad" : ""}`, title: "points in this deal", text: `${points} pt` }),
      el("span", { title: "tricks in this deal", text: `${view.tricks_won[seat]} tr` }),
      view.scores && el("span", { class: "total", title: "total of the game", text: `Σ ${view.scores[seat]}` })),
    seat > 0 && el("div", { class: "backs", "aria-hidden": "true" },
      Array.from({ length: view.hand_sizes[seat] }, () => el("i", {}))));
  plate.style.setProperty("--x", x.toFixed(3));
  plate.style.setProperty("--y", y.toFixed(3));
  return plate;
}

function middle(view, shown) {
  const trick = shown.trick;
  const cards = trick.map(([seat, card], index) => {
    const [x, y] = place(seat, view.names.length);
    const fresh = shown.fresh && index === trick.length - 1;
    const wins = shown.winner === seat;
    const node = el("li", { class: `laid ${fresh ? "fresh" : ""} ${wins ? "wins" : ""}`, "aria-label": `${view.names[seat]}: ${spoken(card)}` }, face(card));
    node.style.setProperty("--x", x.toFixed(3));
    node.style.setProperty("--y", y.toFixed(3));
    return node;
  });
  return el("ol", { class: "trick", "aria-label": trick.length ? "The trick" : "The trick is empty" }, cards);
}

function handCard(view, card, state, actions) {
  const legal = view.legal.includes(card) || view.may_pass.includes(card);
  const busy = view.legal.length > 0 || view.may_pass.length > 0;
  const received = view.received.includes(card) && view.plays < view.names.length * 3;
  const hints = state.hint?.[card];
  const label = [
    spoken(card), received && "received", busy && (legal ? "may be played" : "may not be played now"),
    view.phase === "pass" && state.chosen.has(card) && "chosen", hints && `${hints} points expected`,
  ].filter(Boolean).join(", ");
  return el("button", {
    type: "button", class: `card ${busy ? (legal ? "legal" : "illegal") : ""} ${state.chosen.has(card) ? "chosen" : ""}`,
    "data-card": card, "aria-label": label, tabindex: "-1", "aria-disabled": busy && !legal ? "true" : null,
    "aria-pressed": view.phase === "pass" ? String(state.chosen.has(card)) : null, onclick: (event) => actions.card(card, event.detail === 0),
  }, face(card), received && el("span", { class: "mark", title: "received", text: "new" }),
    hints && el("span", { class: "worth", text: hints }));
}

/** The status line: what is expected now. */
export function status(view, shown) {
  const { names } = view;
  if (shown.winner !== null) return `${names[shown.winner]} ${does("take", names[shown.winner])} the trick.`;
  if (view.phase === "graded") return view.verdict;
  if (view.phase === "pass") return `Pass ${view.pass_count} cards ${way(view.direction, names)}.`;
  if (view.phase === "play" && view.to_move === 0) return view.trick.length ? "Your turn." : "Your lead.";
  if (view.phase === "play") return `${names[view.to_move] ?? "Somebody"} is thinking …`;
  if (view.phase === "moon") return "You shot the moon! Shall the others get the points, or does it come off your own score?";
  return "The deal is over.";
}

/** The old node if nothing about it has changed: a click whose node is replaced in its middle would be lost. */
function kept(root, selector, signature, make) {
  const old = root.querySelector(selector);
  if (old && old.dataset.signature === signature) return old;
  const node = make();
  node.dataset.signature = signature;
  return node;
}

/** Put nodes into `root`, leaving those alone that are there already. */
function arrange(root, nodes) {
  for (const child of [...root.children]) if (!nodes.includes(child)) child.remove();
  nodes.forEach((node, index) => { if (root.children[index] !== node) root.insertBefore(node, root.children[index] ?? null); });
}

function drawHand(view, state, actions) {
  const hand = el("div", { class: "hand", role: "toolbar", "aria-label": "Your hand" },
    [...view.hand].sort(inOrder).map((card) => handCard(view, card, state, actions)));
  hand.style.setProperty("--count", Math.max(view.hand.length, 1));
  return hand;
}

/** Draw a table into `root`. `state`: chosen cards and hints; `shown`: the trick as far as it is to be seen. */
export function drawTable(root, view, shown, state, actions) {
  const focused = document.activeElement?.dataset?.card;
  const index = focused ? [...root.querySelectorAll(".hand .card")].findIndex((node) => node.dataset.card === focused) : -1;
  const turn = shown.winner === null ? view.to_move : null;
  const looks = JSON.stringify([view.hand, view.legal, view.may_pass, view.received, view.phase, view.plays >= view.names.length * 3, [...state.chosen]]);
  const hand = kept(root, ":scope > .hand", looks, () => drawHand(view, state, actions));
  const choices = actions.buttons(view).flat().filter(Boolean);
  const offers = JSON.stringify(choices.map((one) => [one.textContent, one.disabled]));
  const buttons = kept(root, ":scope > .actions", offers, () => el("div", { class: "actions" }, choices));
  const markers = el("div", { class: "markers" },
    view.breaking && el("span", { class: `broken ${view.broken ? "yes" : ""}`, text: view.broken ? "♥ broken" : "♥ not broken" }),
    view.practice && el("span", { text: "practice" }),
    view.commitment && el("button", {
      type: "button", class: "promise", title: `Hash of this deal, promised before its first card: ${view.commitment}`,
      "aria-label": "The promised hash of this deal", text: `# ${view.commitment.slice(0, 8)}`, onclick: actions.promise,
    }));
  arrange(root, [
    el("div", { class: `felt players-${view.names.length}`, onclick: actions.go },
      view.names.map((_, seat) => seatPlate(view, seat, turn === seat)),
      middle(view, shown), markers),
    el("p", { class: "status", text: status(view, shown) }),
    buttons, hand]);
  const cards = [...hand.querySelectorAll(".card")];
  const again = cards.find((node) => node.dataset.card === focused) ?? cards[Math.min(index, cards.length - 1)];
  const first = again ?? cards.find((node) => node.classList.contains("legal")) ?? cards[0];
  for (const card of cards) card.tabIndex = card === first ? 0 : -1;
  if (focused && again && document.activeElement !== again) again.focus();
}

/** Walk through the hand with the arrow keys. */
export function walk(root, step) {
  const cards = [...root.querySelectorAll(".hand .card")];
  if (!cards.length) return;
  const now = cards.indexOf(document.activeElement);
  const next = cards[now < 0 ? (step > 0 ? 0 : cards.length - 1) : (now + step + cards.length) % cards.length];
  for (const card of cards) card.tabIndex = card === next ? 0 : -1;
  next.focus();
}

/** What happened, in words for a screen reader. */
export function tell(view) {
  const { event, names } = view;
  const who = (seat) => (seat === 0 ? "You" : names[seat]);
  const verb = (seat, word) => (seat === 0 ? word : `${word}s`);
  if (event.kind === "played" || event.kind === "over") {
    const takes = event.winner !== null ? ` ${who(event.winner)} ${verb(event.winner, "take")} the trick.` : "";
    const end = event.kind === "over" ? ` The deal is over: ${names.map((name, seat) => `${name} ${view.points[seat]}`).join(", ")}.` : "";
    const turn = view.legal.length ? ` Your turn; you may play ${view.legal.map(pretty).join(" ")}.` : "";
    return `${who(event.seat)} ${verb(event.seat, "play")} ${spoken(event.card)}.${takes}${end}${turn}`;
  }
  if (event.kind === "passed" && view.received.length) return `You received ${view.received.map(spoken).join(", ")}.`;
  if (event.kind === "dealt" || view.phase === "pass") return `New deal. ${status(view, { winner: null })}`;
  if (event.kind === "moon") return `The deal is over: ${names.map((name, seat) => `${name} ${view.points[seat]}`).join(", ")}.`;
  if (event.kind === "undone") return "Card taken back. Your turn.";
  return status(view, { winner: null });
}
