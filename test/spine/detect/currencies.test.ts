/**
 * A currency has one text in every event, whatever wrote it: rippled's JSON, a ledger's bytes, or a codec that writes
 * hex where rippled writes three characters (docs/detection-rules.md 1.5).
 */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import { currencyCode } from "../../../src/spine/event/LedgerForms.ts"
import { throughBytes } from "../../support/ledger/ledgerBytes.ts"
import {
  alice,
  bob,
  created,
  detect,
  in2013,
  issuer,
  key,
  modified,
  payloadNamed,
  token,
  transaction
} from "./support.ts"

const NO_CURRENCY = "0000000000000000000000000000000000000001"
const hex = (characters: string): string =>
  `${"0".repeat(24)}${Buffer.from(characters, "latin1").toString("hex").toUpperCase()}${"0".repeat(10)}`

/** As in an event, and all texts that a source may have. */
const codes: ReadonlyArray<readonly [published: string, written: ReadonlyArray<string>]> = [
  [NO_CURRENCY, ["1", NO_CURRENCY]],
  ["USD", ["USD", hex("USD")]],
  ["<>a", ["<>a", hex("<>a")]],
  ["{[|", ["{[|", hex("{[|")]],
  [hex("XRP"), [hex("XRP")]],
  [hex("a b"), [hex("a b")]],
  [hex("a,b"), [hex("a,b")]],
  [hex("\xE9\xE9\xE9"), [hex("\xE9\xE9\xE9")]],
  ["524C555344000000000000000000000000000000", ["524C555344000000000000000000000000000000"]]
]

const NOBODY = "rrrrrrrrrrrrrrrrrrrrBZbvji"

/** What Bob holds rose from 3 to 5. A partial payment of 2013 does not name what it delivered. */
const line = (currency: string): JsonObject =>
  modified(
    "RippleState",
    key(3),
    {
      Balance: token("-5", NOBODY, currency),
      Flags: 0x2_0000,
      LowLimit: token("0", issuer, currency),
      HighLimit: token("100", bob, currency)
    },
    { Balance: token("-3", NOBODY, currency) }
  )

const written = (currency: string) => {
  const offer = { Account: bob, Sequence: 3, TakerGets: token("5", issuer, currency), TakerPays: "10" }
  const before = { TakerGets: token("8", issuer, currency), TakerPays: "16" }
  const trustLine = {
    Balance: token("0", NOBODY, currency),
    Flags: 0x1_0000,
    LowLimit: token("7", alice, currency),
    HighLimit: token("0", issuer, currency)
  }
  return {
    trustSet: transaction(
      { TransactionType: "TrustSet", LimitAmount: token("7", issuer, currency), SigningPubKey: "" },
      [created("RippleState", key(1), trustLine), modified("Offer", key(2), offer, before)]
    ),
    payment: transaction(
      {
        TransactionType: "Payment",
        Destination: bob,
        Flags: 0x2_0000,
        Amount: token("9", issuer, currency),
        SigningPubKey: ""
      },
      [line(currency)]
    )
  }
}

describe("a currency", () => {
  it.each(codes)("has the same text in every field of every form: %s", (published, texts) => {
    for (const text of texts)
      for (const form of ["json", "bytes"] as const) {
        const { payment, trustSet } = written(text)
        const read = form === "json" ? (tx: typeof payment) => tx : throughBytes
        const set = detect(read(trustSet))
        assert.deepStrictEqual(set.alerts, [])
        assert.strictEqual(payloadNamed(set, "trustline.created")["currency"], published)
        const partial = payloadNamed(set, "dex.offer_partial")
        assert.deepStrictEqual(partial["filled_taker_gets"], token("3", issuer, published))
        assert.deepStrictEqual(partial["remaining_taker_gets"], token("5", issuer, published))
        const paid = detect(read(payment), in2013)
        assert.deepStrictEqual(payloadNamed(paid, "payment.issued")["amount"], token("2", issuer, published))
      }
  })

  it.each(["XRP", "", "2", "US", "USDT", "a b", "éab", hex("<>a").toLowerCase(), "00", `${NO_CURRENCY}0`])(
    "is not %s: the event is withheld",
    (text) => {
      assert.isUndefined(currencyCode(text))
      const { payment, trustSet } = written(text)
      const detections = [detect(trustSet), detect(payment, in2013)]
      for (const { alerts, events } of detections) {
        assert.deepStrictEqual(events, [])
        assert.isNotEmpty(alerts)
      }
    }
  )

  it("of any three characters has three characters exactly where rippled writes them", () => {
    const set = new Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789?!@#$%^&*<>(){}[]|")
    for (let code = 0; code < 256; code++) {
      const text = `A${String.fromCharCode(code)}z`
      const isInSet = set.has(text[1]!)
      assert.strictEqual(currencyCode(hex(text)), isInSet ? text : hex(text))
      assert.strictEqual(currencyCode(text), isInSet ? text : undefined)
    }
  })
})
