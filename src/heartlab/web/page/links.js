// A deal as a link: the fragment of the address holds the whole record, packed, so nothing leaves this machine.

/** @param {Uint8Array} bytes */
const toText = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
/** @param {string} text */
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

/** @param {Uint8Array} bytes @param {CompressionStream | DecompressionStream} stream */
async function through(bytes, stream) {
  const body = new Blob([/** @type {BlobPart} */ (bytes)]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** The fragment of a record. @param {import("./replay.js").DealRecord} record */
export async function packed(record) {
  const text = new TextEncoder().encode(JSON.stringify(record));
  return toText(await through(text, new CompressionStream("deflate-raw")));
}

/**
 * The record of a fragment.
 * @param {string} fragment
 * @returns {Promise<import("./replay.js").DealRecord>} fails if it is none
 */
export async function unpacked(fragment) {
  const bytes = await through(toBytes(fragment), new DecompressionStream("deflate-raw"));
  const record = JSON.parse(new TextDecoder().decode(bytes));
  const card = /^[2-9TJQKA][CDSH]$/;
  const texts = [...(record.hands ?? []), ...(record.tricks ?? []).map((/** @type {any[]} */ trick) => trick[1])];
  const cards = texts.flatMap((text) => String(text).split(" ").filter(Boolean));
  if (!record.hands?.length || record.hands.length > 6 || !cards.every((one) => card.test(one)))
    throw new Error("no record");
  return record;
}
