// Record files: cut into parts that the server reads at once.

/** Characters and deals of one part; the server takes a little more of both. */
const LARGEST = 180_000, DEALS = 200;

/** The deals of a file as texts of their own: lines of JSON or OpenSpiel, or blocks that begin with `deal`. */
function dealsOf(text) {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/).filter((line) => line.trim() && !line.trim().startsWith("#"));
  if (!lines.length || /^[[{0-9]/.test(lines[0].trim())) return { head: "", deals: lines };
  const deals = [];
  for (const line of lines) {
    if (/^\s*%hearts/.test(line)) continue;
    if (/^\s*deal\b/.test(line) || !deals.length) deals.push(line); else deals[deals.length - 1] += `\n${line}`;
  }
  return { head: `${lines[0]}\n`, deals };
}

/** A file in parts, each with whole deals and within the limits. A small file stays as it is. */
export function partsOf(text) {
  const { head, deals } = dealsOf(text);
  if (text.length <= LARGEST && deals.length <= DEALS) return { parts: [text], tooLong: false };
  const parts = [];
  let part = [], size = 0;
  for (const deal of deals) {
    if (part.length && (part.length === DEALS || size + deal.length > LARGEST)) { parts.push(part); part = []; size = 0; }
    part.push(deal);
    size += deal.length + 1;
  }
  if (part.length) parts.push(part);
  return { parts: parts.map((one) => head + one.join("\n")), tooLong: deals.some((deal) => deal.length > LARGEST) };
}
