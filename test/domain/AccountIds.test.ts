import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { encodeAccountID } from "xrpl"
import { ACCOUNT_WORDS, packAccountIds, writeAccountId } from "../../src/domain/AccountIds.ts"

/** The words of an account id, the least significant first. */
const wordsOf = (accountId: Buffer) =>
  Array.from({ length: ACCOUNT_WORDS }, (_, i) => accountId.readUInt32BE((ACCOUNT_WORDS - 1 - i) * 4))

describe("packed account ids", () => {
  it("contain the same ids as the reference library computes", () => {
    const ids = Array.from({ length: 500 }, (_, i) => {
      const random = createHash("sha512").update(String(i)).digest()
      // Some begin with zero bytes, some with the largest ones.
      return Buffer.concat([Buffer.alloc(i % 7, i % 2 === 0 ? 0 : 0xff), random]).subarray(0, 20)
    }).concat(Buffer.alloc(20), Buffer.alloc(20, 0xff))
    const packed = packAccountIds(ids.map((id) => encodeAccountID(id)))
    assert.strictEqual(packed.byteLength, ids.length * 20)
    assert.deepStrictEqual([...packed], ids.flatMap(wordsOf))
  })

  it("skip text that is not an address", () => {
    const into = new Uint32Array(ACCOUNT_WORDS)
    for (const text of [
      "",
      "rA",
      "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyT0",
      "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTé",
      "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ",
      "zHb9CJAWyB4rj91VRWn96DkukG4bwdtyThzz"
    ]) {
      assert.isUndefined(writeAccountId(text, into, 0), text)
      assert.lengthOf(packAccountIds([text]), 0)
    }
  })
})
