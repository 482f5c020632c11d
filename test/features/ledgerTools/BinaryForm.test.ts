/** `ledger detect` reads a ledger in the API's binary form only if the bytes have the hashes that they name. */
import { assert, describe, it } from "@effect/vitest"
import { readVectors } from "../../../src/features/ledgerTools/conformance/Vectors.ts"
import { recordedItems } from "../../../src/features/ledgerTools/RecordedData.ts"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"

/** A ledger with one payment. */
const answer = readVectors().find(({ name }) => name === "xrp_direct")!.input.binary!
// The vectors' page describes this form.
const ledger = answer["ledger"] as JsonObject & { readonly transactions: ReadonlyArray<JsonObject> }

const told = (changed: JsonObject): string => {
  const [item] = recordedItems({ ...answer, ledger: { ...ledger, ...changed } })
  return item?._tag === "Fault" ? item.message : "read"
}

const lastDigit = (hex: unknown): string => String(hex).replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))

describe("a ledger in binary form", () => {
  it("is read", () => {
    assert.strictEqual(told({}), "read")
  })

  it("is refused if a byte of its header or of a transaction differs", () => {
    assert.match(
      told({ ledger_data: lastDigit(ledger["ledger_data"]) }),
      /^the header of ledger 105000000 does not have the hash [0-9A-F]{64}\.$/
    )
    for (const name of ["tx_blob", "meta_blob"])
      assert.match(
        told({ transactions: ledger.transactions.map((one) => ({ ...one, [name]: lastDigit(one[name]) })) }),
        /^the transactions of ledger 105000000 do not have the root [0-9A-F]{64}\.$/
      )
  })

  it("is refused without its transactions", () => {
    assert.match(told({ transactions: [] }), /do not have the root/)
    assert.match(told({ transactions: "none" }), /^the answer for ledger 105000000 is not in binary form\.$/)
  })
})
