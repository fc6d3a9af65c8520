// Statistics over the games of a history: plain functions of plain data.

/** @typedef {import("../protocol").PlayedGame} PlayedGame */
/** @typedef {import("../protocol").DealFacts} DealFacts */
/** @typedef {{ mean: number, low: number, high: number, n: number }} Mean a mean with its 95 % interval */
/**
 * @typedef {object} Figures
 * @property {number} deals
 * @property {Mean | null} points own points per deal
 * @property {number} games finished ones
 * @property {number} won
 * @property {number} queens deals in which Q♠ was taken
 * @property {number} moons own
 * @property {number} against deals in which somebody else shot the moon
 */

/** Quantiles of Student's t for 95 % intervals, by degrees of freedom; beyond them almost the normal one. */
const STUDENT = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13];

/** @param {number[]} values @returns {Mean | null} */
export function meanOf(values) {
  const n = values.length;
  if (!n) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n === 1) return { mean, low: mean, high: mean, n };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = (STUDENT[n - 2] ?? 1.96 + 2.4 / n) * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half, n };
}

/** @param {PlayedGame[]} games */
const dealsOf = (games) => games.flatMap((game) => game.deals);

/** @param {PlayedGame} game */
export const isWon = (game) => game.over && game.scores[0] === Math.min(...game.scores);

/** @param {PlayedGame[]} games @returns {Figures} */
export function figures(games) {
  const deals = dealsOf(games),
    over = games.filter((game) => game.over);
  return {
    deals: deals.length,
    points: meanOf(deals.map((deal) => deal.points[0])),
    games: over.length,
    won: over.filter(isWon).length,
    queens: deals.filter((deal) => deal.queen === 0).length,
    moons: deals.filter((deal) => deal.shooter === 0).length,
    against: deals.filter((deal) => (deal.shooter ?? 0) > 0).length,
  };
}

/**
 * The plain strength that a game was played against, or "other".
 * @param {PlayedGame} game
 * @param {import("../protocol").Strength[]} levels
 */
export const levelOf = (game, levels) =>
  (game.rules === "standard" &&
    game.players.length === 3 &&
    levels.find((level) => game.players.every((player) => level.players.includes(player)))?.name) ||
  "other";

/**
 * Games by strength, in the order of the strengths.
 * @param {PlayedGame[]} games
 * @param {import("../protocol").Strength[]} levels
 */
export function byLevel(games, levels) {
  return [...levels.map((level) => level.name), "other"]
    .map((name) => ({ name, games: games.filter((game) => levelOf(game, levels) === name) }))
    .filter((one) => one.games.length);
}

/**
 * Own points per deal over time, oldest first: the mean of the last `span` deals with its interval.
 * @param {PlayedGame[]} games the latest first
 * @param {number} span
 */
export function course(games, span = 20) {
  const points = dealsOf([...games].reverse()).map((deal) => deal.points[0]);
  return points.map((_, index) => {
    const mean = /** @type {Mean} */ (meanOf(points.slice(Math.max(0, index + 1 - span), index + 1)));
    return { at: index + 1, ...mean };
  });
}

/**
 * How often something happens per deal, over time.
 * @param {PlayedGame[]} games
 * @param {(deal: DealFacts) => boolean} test
 */
export function shares(games, test, span = 20) {
  const found = dealsOf([...games].reverse()).map((deal) => 100 * Number(test(deal)));
  return found.map((_, index) => {
    const recent = found.slice(Math.max(0, index + 1 - span), index + 1);
    return [index + 1, recent.reduce((sum, value) => sum + value, 0) / recent.length];
  });
}

/** Games won, in percent of the last `span` finished ones, oldest first. @param {PlayedGame[]} games */
export function wins(games, span = 10) {
  const over = [...games].reverse().filter((game) => game.over);
  return over.map((_, index) => {
    const recent = over.slice(Math.max(0, index + 1 - span), index + 1);
    return [index + 1, (100 * recent.filter(isWon).length) / recent.length];
  });
}

/** What to practise next: names of advice, the most urgent first. @param {Figures} all @returns {string[]} */
export function practise(all) {
  if (all.deals < 10) return ["play"];
  const found = [];
  if (all.queens / all.deals > 0.3) found.push("queen");
  if (all.against / all.deals > 0.08) found.push("moon");
  if ((all.points?.low ?? 0) > 6.5) found.push("duck");
  if (all.games >= 5 && all.won / all.games > 0.45) found.push("stronger");
  return [...found, "puzzles"];
}

/** Whether the person shot the moon in a game. @param {PlayedGame} game */
export const hasMoon = (game) => game.deals.some((deal) => deal.shooter === 0);

/**
 * Games that have all words of a search in their names, players, rules or date, or in what is shown of them.
 * @param {PlayedGame[]} games
 * @param {string} words
 * @param {(game: PlayedGame) => string} shown
 */
export function search(games, words, shown = () => "") {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return games.filter((game) => {
    const text = [
      ...game.names,
      ...game.players,
      game.rules,
      new Date(game.made * 1000).toISOString(),
      isWon(game) ? "won" : "",
      hasMoon(game) ? "moon" : "",
      shown(game),
    ]
      .join(" ")
      .toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

// --- whether the cards are rigged ---

/** The chance of `k` of 13 hearts among 13 of 52 cards. @param {number} k */
export function heartsChance(k) {
  /** @param {number} n @param {number} m */
  const choose = (n, m) => {
    let product = 1;
    for (let i = 0; i < m; i += 1) product *= (n - i) / (i + 1);
    return product;
  };
  return (choose(13, k) * choose(39, 13 - k)) / choose(52, 13);
}

/** What one's own hands were like, beside what chance would give. @param {PlayedGame[]} games */
export function hands(games) {
  const all = dealsOf(games.filter((game) => game.names.length === 4))
    .map((deal) => deal.hand.split(" "))
    .filter((hand) => hand.length === 13);
  const groups = [
    [0, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 5],
    [6, 13],
  ].map(([low, high]) => {
    const chance = Array.from({ length: high - low + 1 }, (_, i) => heartsChance(low + i)).reduce((a, b) => a + b, 0);
    const value = all.filter((hand) => {
      const count = hand.filter((card) => card[1] === "H").length;
      return count >= low && count <= high;
    }).length;
    return {
      name: low === high ? `${low}` : high === 13 ? `${low}+` : `${low}–${high}`,
      value,
      expected: chance * all.length,
    };
  });
  const queens = all.filter((hand) => hand.includes("QS")).length;
  const high = all.reduce((sum, hand) => sum + hand.filter((card) => "AKQ".includes(card[0])).length, 0);
  return { deals: all.length, queens, highMean: all.length ? high / all.length : 0, hearts: groups };
}

/**
 * How far a count is from what chance gives, in standard deviations.
 * @param {number} count
 * @param {number} n
 * @param {number} p
 */
export const deviation = (count, n, p) => (n ? (count - n * p) / Math.sqrt(n * p * (1 - p)) : 0);
