// What happens at a table, in sentences: for the status line and for screen readers.
import { pretty, spoken } from "./cards.js";
import { called, inARow, some, t, whole } from "./texts.js";

/** @typedef {import("../protocol").View} View */

/**
 * How many seats to the left a pass goes; NaN if it does not go to one seat.
 * @param {string} direction
 * @param {number} n
 */
export const passSteps = (direction, n) =>
  /** @type {Record<string, number>} */ ({ left: 1, right: n - 1, across: n / 2 })[direction] ?? Number(direction);

/** A pass direction in a word. @param {string} direction */
export const wayWord = (direction) =>
  ["left", "right", "across", "scatter", "pool"].includes(direction) ? some(`way.${direction}`) : direction;

/** A pass direction in words. @param {string} direction @param {string[]} names */
export const way = (direction, names) => {
  const n = names.length,
    steps = passSteps(direction, n),
    word = wayWord(direction);
  return Number.isFinite(steps) ? t("way.to", { name: called(names[((steps % n) + n) % n]), word }) : word;
};

/** @param {string[]} cards */
const listed = (cards) => cards.map(pretty).join(" ");

/** Who wants the next deal already. @param {Partial<Pick<View, "names" | "people" | "waiting">>} v */
const readyFor = ({ names = [], people = [], waiting = [] }) =>
  names.filter((_, seat) => seat > 0 && people[seat] === "person" && !waiting.includes(seat)).map(called);

/**
 * The status line: what is expected now.
 * @param {Pick<View, "names" | "pass_count" | "direction" | "to_move" | "trick"> &
 *   Partial<Pick<View, "people" | "waiting" | "friends" | "limit" | "daily">> & {
 *   phase: View["phase"] | "graded", verdict?: string }} view
 * @param {number | null} winner of a trick that is still shown
 */
export function status(view, winner) {
  const { names } = view;
  if (winner !== null) return t("status.takes", { name: names[winner] });
  if (view.phase === "graded") return view.verdict ?? "";
  const others = (view.waiting ?? []).filter((seat) => seat !== 0).map((seat) => called(names[seat]));
  if (view.people?.[0] === "away") return t("status.away");
  const idle = view.friends && others.length && !view.waiting?.includes(0);
  if (idle && view.phase !== "play") return t("status.waiting", { names: inARow(others) });
  const asked = view.friends && view.phase === "over" && view.waiting?.includes(0) ? readyFor(view) : [];
  if (asked.length) return t("status.waitedFor", { names: inARow(asked), many: asked.length > 1 });
  if (view.phase === "pass") return t("status.pass", { n: view.pass_count, way: way(view.direction, names) });
  if (view.phase === "play" && view.to_move === 0) return t(view.trick.length ? "status.turn" : "status.lead");
  if (view.phase === "play") {
    return t("status.thinking", { name: called(names[view.to_move ?? -1] ?? t("somebody")) });
  }
  if (view.phase === "moon") return t("status.moon");
  return t(view.phase === "end" && view.limit && !view.daily ? "status.end" : "status.over");
}

/** What happened, in words for a screen reader. @param {View} view */
export function tell(view) {
  const { event, names } = view;
  const totals = t("tell.over", {
    list: names.map((name, seat) => `${called(name)} ${whole(view.points[seat])}`).join(", "),
  });
  if ((event.kind === "played" || event.kind === "over") && event.seat !== null && event.card !== null) {
    return [
      t("tell.plays", { name: event.seat === 0 ? "You" : names[event.seat], card: spoken(event.card) }),
      event.winner !== null && t("status.takes", { name: event.winner === 0 ? "You" : names[event.winner] }),
      event.kind === "over" && totals,
      view.legal.length > 0 && t("tell.turn", { cards: listed(view.legal) }),
    ]
      .filter(Boolean)
      .join(" ");
  }
  if (event.kind === "passed" && view.received.length) {
    return t("tell.received", { cards: view.received.map(spoken).join(", ") });
  }
  if (event.kind === "passed") return view.friends ? status(view, null) : "";
  if (event.kind === "dealt" || view.phase === "pass") return t("tell.dealt", { status: status(view, null) });
  if (event.kind === "moon") return totals;
  if (event.kind === "undone") return t("tell.undone");
  return status(view, null);
}
