// The address: the key of the house, then a table's key or a page; `#HOUSE/TABLE`, `#HOUSE/~history`, `#~replay/...`.
import { keep, recall } from "./dom.js";

const HOUSE = "heartlab-house";
/** Pages that an address can name. */
const PAGES = ["learn", "friends", "join", "history", "analysis", "fair", "replay"];

/** What an address says. @param {string} hash @param {string} known the key of the house if the address has none */
export function routeOf(hash, known = "") {
  const [first, second = "", ...more] = hash.replace(/^#/, "").split("/");
  const alone = first.startsWith("~");
  const house = (alone ? "" : first) || known,
    where = alone ? first : second;
  const rest = (alone ? [second, ...more] : more).join("/");
  return {
    house,
    table: where && !where.startsWith("~") ? where : null,
    page: where.startsWith("~") && PAGES.includes(where.slice(1)) ? where.slice(1) : "",
    rest,
  };
}

/** Remember the key of the house, so that an installed app finds it again. @param {string} house */
export function keepHouse(house) {
  if (house) keep(HOUSE, house);
}

/** The route of this page. A key that may be mistyped does not replace one that has opened tables. */
export function routeHere() {
  const known = recall(HOUSE) ?? "";
  const route = routeOf(location.hash, known);
  if (!known) keepHouse(route.house);
  return route;
}
