/** Who else acted, and in which batch: the last fields of every payload (docs/detection-rules.md 1.8, 2). */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import {
  alice,
  bob,
  carol,
  created,
  dave,
  deleted,
  detect,
  eventNamed,
  hashNamed,
  issuer,
  key,
  modified,
  names,
  transaction,
  txHash,
  usd,
  withheld
} from "./support.ts"

const batch = hashNamed("batch")
const acting = { Delegate: carol, Sponsor: dave, SponsorFlags: 1, SponsorSignature: { SigningPubKey: "ED" } }
const origin = { delegate: carol, parent_batch_id: batch, sponsor: dave }

/** Events of every family: of the transaction, and of nodes. */
const payment = (tx: JsonObject = {}, meta: JsonObject = {}) =>
  detect(
    transaction(
      { TransactionType: "Payment", Destination: bob, Amount: "5", ...tx },
      [
        created("AccountRoot", key(1), { Account: bob, Balance: "5" }),
        created("Check", key(2), { Account: alice, Destination: bob, SendMax: "5", Sequence: 3 }),
        deleted("Offer", key(3), { Account: issuer, Sequence: 3, TakerGets: "5", TakerPays: usd("1") })
      ],
      meta
    )
  )

describe("the origin of a transaction", () => {
  it("is in every payload, behind the fields of the type", () => {
    const found = payment(acting, { ParentBatchID: batch.toLowerCase() })
    const plain = payment()
    assert.deepStrictEqual(names(found), names(plain))
    for (const [i, { payload }] of found.events.entries())
      assert.strictEqual(JSON.stringify(payload), JSON.stringify({ ...plain.events[i]!.payload, ...origin }))
  })

  it("leaves out what does not apply", () => {
    const one = (tx: JsonObject, meta: JsonObject = {}) =>
      eventNamed(payment(tx, meta), "payment.xrp").payload
    const plain = one({})
    assert.deepStrictEqual(one({ Delegate: carol }), { ...plain, delegate: carol })
    assert.deepStrictEqual(one({}, { ParentBatchID: batch }), { ...plain, parent_batch_id: batch })
    assert.doesNotHaveAnyKeys(plain, Object.keys(origin))
  })

  it("names a sponsor only if it signed the transaction too", () => {
    const { SponsorSignature: _, ...unsigned } = acting
    const found = eventNamed(payment(unsigned), "payment.xrp")
    assert.notProperty(found.payload, "sponsor")
    assert.notInclude(found.accounts, dave)
  })

  it("a delegate and a sponsor are involved where their account is", () => {
    const found = payment(acting)
    assert.deepStrictEqual(eventNamed(found, "payment.xrp").accounts, [alice, bob, carol, dave].sort())
    // A stranger's offer was stale.
    assert.deepStrictEqual(eventNamed(found, "dex.offer_cancelled").accounts, [issuer])
  })

  it("may be that of a settings change", () => {
    const root = modified("AccountRoot", key(1), { Account: alice, Domain: "61" }, {})
    const found = detect(transaction({ TransactionType: "AccountSet", Domain: "61", Delegate: dave }, [root]))
    assert.deepStrictEqual(found.events[0]?.payload, {
      tx_hash: txHash,
      account: alice,
      changes: [{ setting: "domain", value: "61" }],
      tx_type: "AccountSet",
      delegate: dave
    })
  })

  it("must be readable, or every event is withheld", () => {
    for (const found of [
      payment({ Delegate: "x" }),
      payment({ ...acting, Sponsor: "x" }),
      payment({}, { ParentBatchID: "x" })
    ]) {
      assert.deepStrictEqual(names(found), [])
      assert.deepStrictEqual(withheld(found), [["transaction_unreadable", null]])
    }
  })

  it("a sponsor of a ledger entry is no change of it", () => {
    const nodes = [
      modified("AccountRoot", key(1), { Account: alice, Balance: "5", Sponsor: dave }, {}),
      modified(
        "Offer",
        key(2),
        { Account: alice, Sequence: 3, TakerGets: "5", TakerPays: usd("1"), Sponsor: dave },
        {}
      )
    ]
    assert.deepStrictEqual(names(detect(transaction({ TransactionType: "SponsorshipTransfer" }, nodes))), [])
  })
})
