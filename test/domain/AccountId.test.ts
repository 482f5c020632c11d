import { assert, describe, it } from "@effect/vitest"
import { decodeAccountID, encodeAccountID } from "xrpl"
import { accountIdOfAddress, addressOfAccountId } from "../../src/domain/AccountId.ts"

describe("account ids", () => {
  it("and addresses stand for each other, as the reference library has it", () => {
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
