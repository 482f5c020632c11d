/** Amounts on the dashboard's pages: exact, with their unit, and never with a currency that they are not. */
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import {
  amountOf,
  currencyName,
  decimal,
  readableAmount,
  xrp
} from "../../../dashboard/src/features/events/amounts.ts"
import { tokenFields } from "../../../dashboard/src/features/events/fields.ts"

const ISSUER = "rMCp1E7euh98rAaVVshYfkTfNnrWRZ46vc"
const RLUSD = "524C555344000000000000000000000000000000"
const hex = (text: string): string => Buffer.from(text).toString("hex").toUpperCase().padEnd(40, "0")

describe("amounts", () => {
  it("shows drops as XRP, to the last drop", () => {
    const cases = {
      "17310000": "17.31 XRP",
      "0": "0 XRP",
      "1": "0.000001 XRP",
      "-5": "-0.000005 XRP",
      "1000000": "1 XRP",
      "99999999999999999": "99\u202f999\u202f999\u202f999.999999 XRP",
      "100000000000000001": "100\u202f000\u202f000\u202f000.000001 XRP"
    }
    for (const [drops, text] of Object.entries(cases)) assert.strictEqual(xrp(drops), text)
    assert.isUndefined(xrp("1.5"))
  })

  it("shows the digits of the ledger, with or without an exponent", () => {
    const cases = {
      "410.84": "410.84",
      "1000000000000000e-3": "1\u202f000\u202f000\u202f000\u202f000",
      "1234567890123456e-18": "0.001234567890123456",
      "12e4": "120\u202f000",
      "-15174.2": "-15\u202f174.2",
      "0e5": "0",
      // Too long to read: as the ledger writes it.
      "9999999999999999e80": "9999999999999999e80",
      "1e-81": "1e-81",
      "not a number": "not a number"
    }
    for (const [value, text] of Object.entries(cases)) assert.strictEqual(decimal(value), text)
  })

  it("names a token by its code, and says which code and issuer that is", () => {
    assert.deepStrictEqual(readableAmount({ currency: RLUSD, issuer: ISSUER, value: "1410.84" }), {
      text: "1\u202f410.84 RLUSD",
      issuer: ISSUER,
      code: RLUSD
    })
    assert.deepStrictEqual(readableAmount({ currency: "USD", issuer: ISSUER, value: "5" }), {
      text: "5 USD",
      issuer: ISSUER
    })
    const token = "00000F1D290B4EB045CBE502A2FCB7281531E971D8295162"
    assert.deepStrictEqual(readableAmount({ mpt_issuance_id: token, value: "250" }), {
      text: "250 of token 00000F1D…",
      code: token
    })
    for (const other of [null, 5, [], {}, { value: "5" }, "text"]) assert.isUndefined(readableAmount(other))
  })

  it("never shows a code as text that looks like another currency or is not legible", () => {
    for (const text of ["XRP", "USD", "U S D X", "a\u0000bcd", "\u001bRLUSD", "ÄÖÜX"]) {
      assert.strictEqual(currencyName(hex(text)), hex(text))
    }
    const poolToken = "03930D02208264E2E40EC1B0C09E4DB96EE197B1"
    assert.strictEqual(currencyName(poolToken), poolToken)
    assert.strictEqual(currencyName("0".repeat(40)), "0".repeat(40))
    assert.strictEqual(currencyName(hex("SOLO")), "SOLO")
  })

  it("knows every field of the payloads that has an amount", () => {
    interface Property {
      readonly $ref?: string
    }
    const kinds: Record<string, (field: string) => boolean> = {
      TokenValue: (field) => tokenFields.has(field)
    }
    for (const kind of ["Amount", "ComputedAmount", "Drops", "IssuedAmount"]) {
      kinds[kind] = (field) => amountOf(field, "1000000")?.text === "1 XRP"
    }
    const files = globSync("schemas/payloads/*.schema.json")
    assert.lengthOf(files, 23)
    for (const file of files) {
      const { properties } = JSON.parse(readFileSync(file, "utf8")) as {
        properties: Record<string, Property>
      }
      for (const [field, { $ref }] of Object.entries(properties)) {
        const kind = $ref?.split("/").at(-1) ?? ""
        assert.isTrue(kinds[kind]?.(field) ?? true, `${file}: ${field} is a ${kind}`)
      }
    }
  })
})
