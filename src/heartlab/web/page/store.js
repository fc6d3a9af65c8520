// The store: everything that the page knows and shows, in one value that only `update` changes.

/**
 * @template {object} S
 * @param {S} initial
 */
export function makeStore(initial) {
  let state = initial;
  /** @type {((now: S, before: S) => void)[]} */
  const listeners = [];
  let telling = false,
    again = false;
  /** @type {S} */
  let told = initial;

  /** Tell the listeners; what they change is told when they are done, so that none sees an older state last. */
  const tell = () => {
    if (telling) {
      again = true;
      return;
    }
    telling = true;
    try {
      do {
        again = false;
        const before = told;
        told = state;
        for (const listener of listeners) listener(told, before);
      } while (again);
    } finally {
      telling = false;
    }
  };

  return {
    /** The state as it is. It is never changed, only replaced. */
    get now() {
      return state;
    },
    /** Change some fields. @param {Partial<S>} changes */
    update(changes) {
      state = { ...state, ...changes };
      tell();
    },
    /** Hear of every change. @param {(now: S, before: S) => void} listener */
    listen(listener) {
      listeners.push(listener);
    },
  };
}
