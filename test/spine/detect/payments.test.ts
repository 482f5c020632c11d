/** payment.xrp and payment.issued (docs/detection-rules.md 2.1, 2.2). */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import {
  alice,
  balance,
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
  payloadNamed,
  token,
  transaction,
  txHash,
  usd
} from "./support.ts"

const payment = (fields: JsonObject, nodes: ReadonlyArray<JsonObject> = [], meta: JsonObject = {}) =>
  transaction({ TransactionType: "Payment", Destination: bob, ...fields }, nodes, meta)

const offer = (maker: string, sequence: number) => ({
  Account: maker,
  Sequence: sequence,
  TakerGets: usd("0"),
  TakerPays: "0"
})
const filled = (id: number, maker: string) =>
  deleted("Offer", key(id), offer(maker, id), { TakerGets: usd("5"), TakerPays: "50" })

describe("payments of XRP", () => {
  it("the sender's tag and reference are in the payload", () => {
    const fields = { Amount: "1", SourceTag: 0, InvoiceID: hashNamed("invoice").toLowerCase() }
    assert.strictEqual(
      JSON.stringify(payloadNamed(detect(payment({ ...fields, DestinationTag: 1 })), "payment.xrp")),
      `{"tx_hash":"${txHash}","sender":"${alice}","receiver":"${bob}","amount":"1",` +
        `"destination_tag":1,"source_tag":0,"invoice_id":"${hashNamed("invoice")}"}`
    )
  })

  it("a direct payment is one event without sub-index", () => {
    const found = detect(payment({ Amount: "1000000" }, [balance(alice, "9", "8"), balance(bob, "1", "2")]))
    assert.deepStrictEqual(found.events, [
      {
        event_id: `xrpl:90000000:${txHash}:payment.xrp`,
        event_type: "payment.xrp",
        ledger_index: 90_000_000,
        timestamp: "2025-05-08T06:13:20Z",
        payload: { tx_hash: txHash, sender: alice, receiver: bob, amount: "1000000" },
        accounts: [alice, bob].sort(),
        balance_changes: [alice, bob]
          .sort()
          .map((account) => ({ account, asset: "XRP" as const, change: account === alice ? "-1" : "1" }))
      }
    ])
    assert.deepStrictEqual(found.alerts, [])
  })

  it("destination tag 0 is kept; without a tag the key is absent", () => {
    const tagged = detect(payment({ Amount: "1", DestinationTag: 0 }))
    assert.strictEqual(payloadNamed(tagged, "payment.xrp")["destination_tag"], 0)
    assert.notProperty(payloadNamed(detect(payment({ Amount: "1" })), "payment.xrp"), "destination_tag")
  })

  it("funding a new account causes two events", () => {
    const root = created("AccountRoot", key(1), { Account: bob, Balance: "20000000", Sequence: 1 })
    const found = detect(payment({ Amount: "20000000" }, [root]))
    assert.deepStrictEqual(names(found), ["account.created", "payment.xrp"])
    assert.deepStrictEqual(payloadNamed(found, "account.created"), {
      tx_hash: txHash,
      account: bob,
      created_by: alice,
      initial_balance: "20000000",
      tx_type: "Payment"
    })
  })

  it("a failed payment causes no event", () => {
    const found = detect(
      payment({ Amount: "1" }, [balance(alice, "20", "10")], { TransactionResult: "tecUNFUNDED_PAYMENT" })
    )
    assert.deepStrictEqual(found, { events: [], alerts: [] })
  })

  it("XRP bought on the way: payment.xrp and the maker's event", () => {
    const consumed = deleted(
      "Offer",
      key(1),
      { Account: carol, Sequence: 4, TakerGets: "0", TakerPays: usd("0") },
      { TakerGets: "100", TakerPays: usd("1") }
    )
    const found = detect(payment({ Amount: "100", SendMax: usd("1") }, [consumed]))
    assert.deepStrictEqual(names(found), ["dex.offer_filled", "payment.xrp"])
  })

  it("an incoming payment that clears PasswordSpent changes no settings", () => {
    const root = modified(
      "AccountRoot",
      key(1),
      { Account: bob, Flags: 0, Balance: "2" },
      { Flags: 0x1_0000, Balance: "1" }
    )
    assert.deepStrictEqual(names(detect(payment({ Amount: "1" }, [root]))), ["payment.xrp"])
  })

  it("a tracking account's payment changes no settings", () => {
    const root = modified(
      "AccountRoot",
      key(1),
      { Account: alice, AccountTxnID: hashNamed("b") },
      { AccountTxnID: hashNamed("a") }
    )
    assert.deepStrictEqual(names(detect(payment({ Amount: "1" }, [root]))), ["payment.xrp"])
  })

  it("a node without FinalFields is accepted", () => {
    const bare = { ModifiedNode: { LedgerEntryType: "AccountRoot", LedgerIndex: key(1) } }
    assert.deepStrictEqual(names(detect(payment({ Amount: "1" }, [bare]))), ["payment.xrp"])
  })

  it("a negative amount of a payment to oneself is passed on unchanged", () => {
    const found = detect(payment({ Destination: alice, Amount: "5" }, [], { DeliveredAmount: "-1" }))
    assert.strictEqual(payloadNamed(found, "payment.xrp")["amount"], "-1")
  })

  it("a delegate is involved; the account stays the sender", () => {
    const found = detect(payment({ Amount: "1", Delegate: dave }))
    const event = eventNamed(found, "payment.xrp")
    assert.strictEqual(event.payload["sender"], alice)
    assert.deepStrictEqual(event.accounts, [alice, bob, dave].sort())
  })
})

describe("payments of tokens", () => {
  it("a token payment has the amount as an object", () => {
    const found = detect(payment({ Amount: usd("12.5") }))
    assert.deepStrictEqual(payloadNamed(found, "payment.issued"), {
      tx_hash: txHash,
      sender: alice,
      receiver: bob,
      amount: usd("12.5")
    })
    assert.deepStrictEqual(eventNamed(found, "payment.issued").accounts, [alice, bob].sort())
  })

  it("redeeming to the issuer can delete the line", () => {
    const line = deleted(
      "RippleState",
      key(1),
      {
        Balance: token("0", "rrrrrrrrrrrrrrrrrrrrBZbvji"),
        Flags: 0,
        LowLimit: token("0", alice),
        HighLimit: token("0", issuer)
      },
      { Balance: token("5", "rrrrrrrrrrrrrrrrrrrrBZbvji"), Flags: 0x1_0000 }
    )
    const found = detect(payment({ Destination: issuer, Amount: usd("5") }, [line]))
    assert.deepStrictEqual(names(found), ["trustline.deleted", "payment.issued"])
    assert.strictEqual(payloadNamed(found, "trustline.deleted")["account"], alice)
  })

  it("a multi-purpose token is payment.issued too", () => {
    const amount = { mpt_issuance_id: "0000000A".padEnd(48, "C"), value: "300" }
    assert.deepStrictEqual(
      payloadNamed(detect(payment({ Amount: amount })), "payment.issued")["amount"],
      amount
    )
  })

  it("a payment through two makers' offers: one event for each offer and one payment", () => {
    const partly = modified(
      "Offer",
      key(2),
      { Account: dave, Sequence: 9, TakerGets: usd("3"), TakerPays: "30" },
      { TakerGets: usd("5"), TakerPays: "50" }
    )
    const found = detect(payment({ Amount: usd("7"), SendMax: "70" }, [partly, filled(1, carol)]))
    assert.deepStrictEqual(names(found), ["dex.offer_partial", "dex.offer_filled", "payment.issued"])
    assert.deepStrictEqual(payloadNamed(found, "dex.offer_partial"), {
      tx_hash: txHash,
      offer_id: key(2),
      offer_sequence: 9,
      account: dave,
      taker: alice,
      filled_taker_gets: usd("2"),
      filled_taker_pays: "20",
      remaining_taker_gets: usd("3"),
      remaining_taker_pays: "30",
      tx_type: "Payment"
    })
  })

  it("events of one type are numbered by node id, whatever the order of the nodes", () => {
    const nodes = [filled(1, bob), filled(2, carol), filled(3, dave)]
    for (const order of [nodes, [nodes[2]!, nodes[0]!, nodes[1]!], nodes.toReversed()]) {
      const found = detect(payment({ Amount: usd("15"), SendMax: "150" }, order))
      assert.deepStrictEqual(names(found), [
        "dex.offer_filled:0",
        "dex.offer_filled:1",
        "dex.offer_filled:2",
        "payment.issued"
      ])
      assert.deepStrictEqual(eventNamed(found, "dex.offer_filled:1").accounts, [alice, carol].sort())
    }
  })

  it("a conversion is a payment to oneself", () => {
    const found = detect(payment({ Destination: alice, Amount: usd("7"), SendMax: "70" }))
    assert.deepStrictEqual(eventNamed(found, "payment.issued").accounts, [alice])
  })

  it("a maker who receives a token for the first time gets a trust line", () => {
    const line = created("RippleState", key(5), {
      Balance: token("1", "rrrrrrrrrrrrrrrrrrrrBZbvji"),
      Flags: 0x1_0000,
      LowLimit: token("0", carol),
      HighLimit: token("0", issuer)
    })
    const consumed = deleted(
      "Offer",
      key(6),
      { Account: carol, Sequence: 4, TakerGets: "0", TakerPays: usd("0") },
      { TakerGets: "100", TakerPays: usd("1") }
    )
    const found = detect(payment({ Amount: "100", SendMax: usd("1") }, [line, consumed]))
    assert.deepStrictEqual(names(found), ["trustline.created", "dex.offer_filled", "payment.xrp"])
    assert.deepInclude(payloadNamed(found, "trustline.created"), { account: carol, auto_created: true })
  })

  it("the payload's keys have the published order, hashes are upper case", () => {
    const found = detect(
      payment({
        InvoiceID: hashNamed("invoice").toLowerCase(),
        SourceTag: 2,
        DestinationTag: 1,
        Amount: { value: "1", issuer, currency: "USD" }
      })
    )
    assert.strictEqual(
      JSON.stringify(payloadNamed(found, "payment.issued")),
      `{"tx_hash":"${txHash}","sender":"${alice}","receiver":"${bob}",` +
        `"amount":{"currency":"USD","issuer":"${issuer}","value":"1"},` +
        `"destination_tag":1,"source_tag":2,"invoice_id":"${hashNamed("invoice")}"}`
    )
  })
})
