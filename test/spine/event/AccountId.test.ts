import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { decodeAccountID, encodeAccountID, isValidClassicAddress } from "xrpl"
import { accountIdOfAddress, addressOfAccountId } from "../../../src/spine/event/AccountId.ts"

describe("account ids", () => {
  it("convert to and from addresses as in the reference library", () => {
    for (const hex of [
      "00".repeat(20),
      "FF".repeat(20),
      `00${"01".repeat(19)}`,
      "0102030405060708090A0B0C0D0E0F1011121314"
    ]) {
      const address = addressOfAccountId(hex)
      assert.strictEqual(address, encodeAccountID(Buffer.from(hex, "hex")))
      assert.strictEqual(accountIdOfAddress(address), hex)
      assert.strictEqual(Buffer.from(decodeAccountID(address)).toString("hex").toUpperCase(), hex)
    }
    assert.strictEqual(addressOfAccountId("00".repeat(20)), "rrrrrrrrrrrrrrrrrrrrrhoLvTp")
  })

  it("accept and refuse the same addresses as the reference library, each also with one mistake", () => {
    const letters = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
    for (let i = 0; i < 500; i++) {
      const random = createHash("sha512").update(String(i)).digest()
      // Some begin with zero bytes, which base 58 writes apart.
      const accountId = Buffer.concat([Buffer.alloc(i % 5), random]).subarray(0, 20)
      const address = addressOfAccountId(accountId.toString("hex"))
      assert.strictEqual(address, encodeAccountID(accountId))
      assert.strictEqual(accountIdOfAddress(address), accountId.toString("hex").toUpperCase())
      const at = random[30]! % address.length
      const letter = letters[random[31]! % letters.length]!
      for (const other of [
        address.slice(0, at) + letter + address.slice(at + 1),
        address.slice(0, at) + letter + address.slice(at),
        address.slice(0, at) + address.slice(at + 1),
        `r${address}`,
        address.slice(1)
      ]) {
        assert.strictEqual(accountIdOfAddress(other) !== undefined, isValidClassicAddress(other), other)
      }
    }
  })

  it("addresses with a wrong checksum, length or letter are refused", () => {
    for (const wrong of [
      "",
      "r",
      "rrrrrrrrrrrrrrrrrrrrrhoLvTq",
      "rrrrrrrrrrrrrrrrrrrrhoLvTp",
      "rrrrrrrrrrrrrrrrrrrrrrhoLvTp",
      "rrrrrrrrrrrrrrrrrrrr0hoLvTp",
      "z".repeat(34),
      "r".padEnd(35, "z")
    ])
      assert.isUndefined(accountIdOfAddress(wrong), wrong)
  })
})
