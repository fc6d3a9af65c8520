// Record files: cut into parts that the server reads at once.

/** The part of the server's limit that is used: the lines that head a text are added to each part. */
const SHARE = 0.9;

/**
 * The deals of a file as texts of their own: lines of JSON or OpenSpiel, or blocks that begin with `deal`.
 * @param {string} text
 */
function dealsOf(text) {
  const lines = text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() && !line.trim().startsWith("#"));
  if (!lines.length || /^[[{0-9]/.test(lines[0].trim())) return { head: "", deals: lines };
  const deals = [];
  for (const line of lines) {
    if (/^\s*%hearts/.test(line)) continue;
    if (/^\s*deal\b/.test(line) || !deals.length) deals.push(line);
    else deals[deals.length - 1] += `\n${line}`;
  }
  return { head: `${lines[0]}\n`, deals };
}

/** A proof as one line; null if a file is none. @param {string} text */
export function proofIn(text) {
  if (!/^\ufeff?\s*\{/.test(text) || !text.includes("heartlab-proof")) return null;
  try {
    const found = JSON.parse(text.replace(/^\ufeff/, ""));
    return typeof found?.format === "string" && found.format.startsWith("heartlab-proof")
      ? JSON.stringify(found)
      : null;
  } catch {
    return null; // several lines of JSON
  }
}

/**
 * A file in parts, each with whole deals and within the limits of the server. A small file stays as it is.
 * @param {string} text
 * @param {{ record: number, records: number }} limits
 */
export function partsOf(text, limits) {
  const proof = proofIn(text);
  if (proof) return { parts: [proof], tooLong: proof.length > limits.record };
  const largest = SHARE * limits.record;
  const { head, deals } = dealsOf(text);
  if (text.length <= largest && deals.length <= limits.records) return { parts: [text], tooLong: false };
  const parts = [];
  /** @type {string[]} */
  let part = [];
  let size = 0;
  for (const deal of deals) {
    if (part.length && (part.length === limits.records || size + deal.length > largest)) {
      parts.push(part);
      part = [];
      size = 0;
    }
    part.push(deal);
    size += deal.length + 1;
  }
  if (part.length) parts.push(part);
  return { parts: parts.map((one) => head + one.join("\n")), tooLong: deals.some((deal) => deal.length > largest) };
}
