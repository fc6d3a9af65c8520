import assert from "node:assert/strict";
import { test } from "node:test";
import { blake, checkProof } from "../../src/heartlab/web/page/verify.js";

// Made by `proof_of` of the server: deal 3 of seed 5 under standard rules.
const PROOF = {
  format: "heartlab-proof 1",
  commitment: "f181fce2f51324f79f56c105205c91e17d5bd6352d21928e40db4e672f041f08",
  seed: 5,
  salt: "ab",
  promise: "618dae438ce5a07b949d4fd353185a140bbe4b30671c02f082b3434c4a118e06",
  secret: "aa",
  share: "bb",
  record: {
    deal: 3,
    rules: "standard",
    hands: [
      "4C 6C TC KC 3D TD 2S 7S 9S TS 8H JH QH",
      "5C 7C 9C AC 2D 4D 8D QD KD 3S QS KS AS",
      "2C JC 6D JD AD 6S 8S JS 2H 3H 7H 9H TH",
      "3C 8C QC 5D 7D 9D 4S 5S 4H 5H 6H KH AH",
    ],
  },
};
const holding = async (proof) => (await checkProof(proof)).filter((check) => check.holds).map((check) => check.name);

test("the key of a seed is the BLAKE2b hash that the program uses", () => {
  // hashlib.blake2b(b"5/deals", digest_size=8), read with the lowest byte first
  assert.equal(blake("5/deals"), 16373248541536004636n);
});

test("a true proof holds, but for a seed that is not made from its text", async () => {
  assert.deepEqual(await holding(PROOF), ["hash", "deal", "promise"]);
});

test("every change of a proof is found", async () => {
  assert.ok(!(await holding({ ...PROOF, salt: "ac" })).includes("hash"));
  assert.ok(!(await holding({ ...PROOF, seed: 6 })).includes("deal"));
  assert.ok(!(await holding({ ...PROOF, secret: "ab" })).includes("promise"));
  const hands = [...PROOF.record.hands].reverse();
  assert.deepEqual(await holding({ ...PROOF, record: { ...PROOF.record, hands } }), ["promise"]);
});
