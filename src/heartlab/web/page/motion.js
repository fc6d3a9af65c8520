// Movement: cards fly from where they were to where they are. Only what is drawn moves; nothing waits for it.
import { moves, options } from "./options.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {{ left: number, top: number, width: number, height: number }} Box */
/** @typedef {{ boxes: Map<string, Box>, kind: string, state: State }} Moved */

/** How long a movement takes, as a part of the pace of the cards. */
const time = (share = 1) => share * Math.min(420, 140 + 0.4 * Number(options.pace));
const EASE = "cubic-bezier(.2, .7, .2, 1)";

/** @param {Element | null | undefined} node @returns {Box | null} */
const boxOf = (node) => node?.getBoundingClientRect() ?? null;

/** What a change of the state moves. @param {State} now @param {State} before */
export function kindOf(now, before) {
  const { view, shown } = now;
  if (!view || now.replay) return "";
  if (view !== before.view) {
    const fresh = view.event.kind === "dealt" || (view.event.kind === "opened" && !view.plays && !before.view);
    if (fresh) return "deal";
    const passing = before.view?.deal === view.deal && before.view.phase === "pass";
    if (passing && view.passed.length + view.received.length) return "pass";
    if (shown !== before.shown || view.event.kind === "played" || view.event.kind === "over") return "play";
  }
  if (before.shown.trick.length && !shown.trick.length && before.shown.winner !== null) return "sweep";
  return shown !== before.shown ? "play" : "";
}

/** @param {HTMLElement} stage */
export function makeMotion(stage) {
  /** @param {string} selector @returns {HTMLElement[]} */
  const all = (selector) => [.../** @type {NodeListOf<HTMLElement>} */ (stage.querySelectorAll(selector))];
  /** @param {number} seat */
  const plate = (seat) => boxOf(stage.querySelector(`[data-seat="${seat}"]`));

  /**
   * Let a node come from a box to where it is.
   * @param {HTMLElement} node
   * @param {Box} from
   * @param {number} delay
   */
  const come = (node, from, delay = 0, share = 1) => {
    const to = boxOf(node);
    if (!to?.width) return;
    const x = from.left + from.width / 2 - to.left - to.width / 2,
      y = from.top + from.height / 2 - to.top - to.height / 2;
    if (Math.abs(x) + Math.abs(y) < 1) return;
    const scale = Math.min(1.4, Math.max(0.35, Math.min(from.width, from.height * 0.71) / to.width));
    node.animate([{ transform: `translate(${x}px, ${y}px) scale(${scale})` }, { transform: "none" }], {
      duration: time(share),
      delay,
      easing: EASE,
      fill: "backwards",
    });
  };

  /**
   * Let a copy of a node go to a box and vanish there.
   * @param {HTMLElement} node
   * @param {Box} to
   */
  const leave = (node, to) => {
    const from = boxOf(node);
    if (!from) return;
    const copy = /** @type {HTMLElement} */ (node.cloneNode(true));
    copy.className = "flying";
    for (const name of ["data-card", "data-laid", "aria-label", "id"]) copy.removeAttribute(name);
    copy.setAttribute("aria-hidden", "true");
    copy.tabIndex = -1;
    Object.assign(copy.style, { left: `${from.left}px`, top: `${from.top}px`, width: `${from.width}px` });
    document.body.append(copy);
    const x = to.left + to.width / 2 - from.left - from.width / 2,
      y = to.top + to.height / 2 - from.top - from.height / 2;
    const flight = copy.animate(
      [
        { transform: "none", opacity: 1 },
        { transform: `translate(${x}px, ${y}px) scale(.3)`, opacity: 0.2 },
      ],
      { duration: time(1.1), easing: "ease-in", fill: "both" },
    );
    flight.onfinish = () => copy.remove();
    flight.oncancel = () => copy.remove();
  };

  return {
    /** Before drawing: where things are. @param {State} now @param {State} before @returns {Moved | null} */
    before(now, before) {
      const kind = moves() ? kindOf(now, before) : "";
      if (!kind) return null;
      const boxes = new Map(all(".hand .card").map((node) => [`${node.dataset.card}`, node.getBoundingClientRect()]));
      if (kind === "sweep" && before.shown.winner !== null) {
        const to = plate(before.shown.winner);
        if (to) for (const node of all(".laid")) leave(node, to);
      }
      if (kind === "pass" && now.view) {
        for (const node of all(".hand .card")) {
          const to = now.view.passed.includes(`${node.dataset.card}`) && boxOf(stage.querySelector(".trick"));
          if (to) leave(node, to);
        }
      }
      return { boxes, kind, state: before };
    },
    /** After drawing: let things come from where they were. @param {Moved | null} moved */
    after(moved) {
      if (!moved) return;
      const centre = boxOf(stage.querySelector(".trick"));
      if (moved.kind === "deal" && centre) {
        all(".hand .card").forEach((node, index) => {
          come(node, centre, index * time(0.09));
        });
        all(".backs").forEach((node, index) => {
          come(node, centre, index * time(0.3));
        });
        return;
      }
      const laid = new Set(moved.state.shown.trick.map(([, card]) => card));
      for (const node of all(".laid")) {
        const card = `${node.dataset.laid}`;
        if (laid.has(card)) continue;
        const seat = moved.state.view?.to_move ?? 0;
        const from = moved.boxes.get(card) ?? plate(seat);
        if (from) come(node, from);
      }
      for (const node of all(".hand .card")) {
        const from = moved.boxes.get(`${node.dataset.card}`) ?? (moved.kind === "pass" ? centre : null);
        if (from) come(node, from, 0, 0.8);
      }
    },
  };
}
