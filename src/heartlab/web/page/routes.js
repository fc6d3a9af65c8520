// The address: the key of the house, then a table's key or a page; `#HOUSE/TABLE`, `#HOUSE/~history`, `#~replay/...`.
import { keep, recall } from "./dom.js";

const HOUSE = "heartlab-house";

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
    page: where.startsWith("~") ? where.slice(1) : "",
    rest,
  };
}

/** The route of this page; the house is remembered, so that an installed app finds it again. */
export function routeHere() {
  const route = routeOf(location.hash, recall(HOUSE) ?? "");
  if (route.house) keep(HOUSE, route.house);
  return route;
}
