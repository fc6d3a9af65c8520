// The check of a proof in this browser: hashes by WebCrypto, and the deal dealt again from its seed.
//
// The same as `heartlab verify` does, except that only the program checks that every card followed the rules.

/** @typedef {{ name: string, holds: boolean }} Check */

const MASK = (1n << 64n) - 1n;
const GOLDEN = 0x9e3779b97f4a7c15n;
export const CARDS = [..."CDSH"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));

/** SHA-256 of lines, each ended by a newline. @param {string[]} lines */
export async function hashLines(...lines) {
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// --- BLAKE2b of short texts, as RFC 7693 has it: it makes a key from a seed ---

const START = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];
const ROUNDS = [
  "0123456789abcdef",
  "ea489fd61c02b753",
  "b8c052fdae367194",
  "7931dcbe265a40f8",
  "905724afe1bc683d",
  "2c6a0b834d75fe19",
  "c51fed4a0763928b",
  "db7ec13950f4862a",
  "6fe9b308c2d714a5",
  "a2847615fb9e3cd0",
  "0123456789abcdef",
  "ea489fd61c02b753",
];
const MIXES = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

/** @param {bigint} value @param {bigint} by */
const turned = (value, by) => ((value >> by) | (value << (64n - by))) & MASK;

/** The first 64 bits of the BLAKE2b hash of 8 bytes of a text of at most 128 bytes. @param {string} text */
export function blake(text) {
  const bytes = new TextEncoder().encode(text);
  const block = new DataView(new ArrayBuffer(128));
  for (const [index, byte] of bytes.entries()) block.setUint8(index, byte);
  const words = Array.from({ length: 16 }, (_, index) => block.getBigUint64(8 * index, true));
  const first = START[0] ^ 0x01010008n; // a hash of 8 bytes, no key
  const v = [first, ...START.slice(1), ...START];
  v[12] ^= BigInt(bytes.length);
  v[14] ^= MASK;
  for (const round of ROUNDS) {
    const order = [...round].map((digit) => words[Number.parseInt(digit, 16)]);
    for (const [index, [a, b, c, d]] of MIXES.entries()) {
      v[a] = (v[a] + v[b] + order[2 * index]) & MASK;
      v[d] = turned(v[d] ^ v[a], 32n);
      v[c] = (v[c] + v[d]) & MASK;
      v[b] = turned(v[b] ^ v[c], 24n);
      v[a] = (v[a] + v[b] + order[2 * index + 1]) & MASK;
      v[d] = turned(v[d] ^ v[a], 16n);
      v[c] = (v[c] + v[d]) & MASK;
      v[b] = turned(v[b] ^ v[c], 63n);
    }
  }
  return first ^ v[0] ^ v[8];
}

// --- dealing, as the program does it ---

/** @param {bigint} key */
function mix(key) {
  let bits = ((key ^ (key >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  bits = ((bits ^ (bits >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return bits ^ (bits >> 31n);
}

/** A generator of numbers below a bound, without bias. @param {bigint} key */
function dice(key) {
  let state = key;
  const draw = () => {
    state = (state + GOLDEN) & MASK;
    return mix(state) >> 32n;
  };
  return (/** @type {number} */ n) => {
    const size = BigInt(n);
    const floor = ((1n << 32n) - size) % size;
    let product = draw() * size;
    while ((product & 0xffffffffn) < floor) product = draw() * size;
    return Number(product >> 32n);
  };
}

/**
 * The hands that a seed deals.
 * @param {number} seed
 * @param {number} number of the deal
 * @param {string[]} deck in the order of the cards
 * @param {number} players
 * @param {number} size of a hand
 */
export function dealt(seed, number, deck, players, size) {
  const below = dice(mix((blake(`${seed}/deals`) + GOLDEN * BigInt(number + 1)) & MASK));
  const cards = [...deck];
  let next = 0;
  return Array.from({ length: players }, () => {
    const hand = [];
    for (let i = 0; i < size; i += 1) {
      const pick = next + below(cards.length - next);
      hand.push(cards[pick]);
      cards[pick] = cards[next];
      next += 1;
    }
    return hand.sort((a, b) => CARDS.indexOf(a) - CARDS.indexOf(b)).join(" ");
  });
}

/**
 * All checks of a proof; the names are those of the catalogue, as `fair.check.NAME`.
 * @param {any} proof
 * @returns {Promise<Check[]>}
 */
export async function checkProof(proof) {
  const { record, seed, salt, secret, share, promise } = proof;
  /** @type {string[]} */
  const hands = record.hands;
  const number = record.deal ?? 0;
  const kitty = record.kitty ?? "";
  const shared = share ? [`promise ${promise}`, `share ${share}`] : [];
  const found = await hashLines(
    "heartlab deal 1",
    `rules ${record.rules}`,
    `number ${number}`,
    `seed ${seed}`,
    `salt ${salt}`,
    ...shared,
    ...hands.map((hand, seat) => `hand ${seat} ${hand}`),
    `kitty ${kitty || "-"}`,
  );
  const held = [...hands, kitty].join(" ").split(" ");
  const deck = CARDS.filter((card) => held.includes(card));
  const again = dealt(seed, number, deck, hands.length, hands[0].split(" ").length);
  const checks = [
    { name: "hash", holds: found === proof.commitment },
    { name: "deal", holds: again.join("|") === hands.join("|") },
  ];
  if (!share) return checks;
  const made = await hashLines("heartlab seed 1", `number ${number}`, `secret ${secret}`, `share ${share}`);
  return [
    ...checks,
    { name: "promise", holds: (await hashLines("heartlab secret 1", `secret ${secret}`)) === promise },
    { name: "seed", holds: BigInt(`0x${made.slice(0, 16)}`) >> 11n === BigInt(seed) },
  ];
}
