// The pace: views wait in a queue, and each is shown long enough to be seen, a finished trick longer.
import { options } from "./options.js";

/** @typedef {import("../protocol").View} View */
/** @typedef {{ trick: [number, string][], winner: number | null, fresh: boolean }} Shown */

export class Pace {
  /** `show` draws a view with what is to be seen of the trick. @param {(view: View, shown: Shown) => void} show */
  constructor(show) {
    this.show = show;
    /** @type {View[]} */
    this.row = [];
    this.timer = 0;
    /** @type {View | null} */
    this.current = null;
    this.holding = false;
    /** Called when all views have been shown. */
    this.rested = () => {};
  }

  /** Whether everything has been shown. */
  get idle() {
    return !this.timer && !this.holding && this.row.length === 0;
  }

  /** @param {View} view */
  add(view) {
    this.row.push(view);
    if (!this.timer && !this.holding) this.next();
  }

  /** Somebody has seen enough: go on at once. */
  go() {
    if (!this.holding && !this.timer) return false;
    clearTimeout(this.timer);
    this.timer = 0;
    this.holding = false;
    this.settle();
    this.next();
    return true;
  }

  clear() {
    clearTimeout(this.timer);
    this.row = [];
    this.timer = 0;
    this.holding = false;
  }

  settle() {
    if (this.current) this.show(this.current, { trick: this.current.trick, winner: null, fresh: false });
  }

  next() {
    const view = this.row.shift();
    if (!view) return;
    this.current = view;
    if (view.event.kind === "seats") {
      // Who comes and goes takes no time: a click meanwhile is meant for the table.
      this.timer = 0;
      this.show(view, { trick: view.trick, winner: null, fresh: false });
      this.next();
      return;
    }
    this.timer = -1; // not idle while it is being drawn
    const done = view.event.winner !== null;
    this.show(view, {
      trick: done ? view.last : view.trick,
      winner: done ? view.event.winner : null,
      fresh: view.event.kind === "played" || view.event.kind === "over",
    });
    const hurry = this.row.length > 12 ? 0.15 : 1;
    if (done && options.hold === "click" && hurry === 1) {
      this.holding = true;
      this.timer = 0;
      return;
    }
    const seconds = done ? Number(options.hold) || 2 : 0;
    const wait = hurry * (done ? seconds * 900 : Number(options.pace));
    const own = view.event.kind === "played" && view.event.seat === 0 && !done;
    const plain = view.event.kind !== "played" && view.event.kind !== "over";
    this.timer = setTimeout(
      () => {
        this.timer = 0;
        if (done) this.settle();
        this.next();
        if (this.idle) this.rested();
      },
      plain ? 30 : own ? wait / 2 : wait,
    );
  }
}
