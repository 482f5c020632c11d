/** Vectors of docs/detection-rules.md 1.8, 1.9 and 1.11: who acts for whom, and what is withheld. */
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"
import {
  alice,
  balance,
  bob,
  carol,
  created,
  dave,
  deleted,
  event,
  id,
  issuer,
  modified,
  usd,
  vector
} from "./Build.ts"
import { batch, create, filled, inMeta, inTx, json, offer, paid, pay, stale, usedUp } from "./General.ts"
import { HIGH_RESERVE, line } from "./Lines.ts"

const origin: JsonObject = { delegate: dave, parent_batch_id: batch, sponsor: carol }
/** A transaction of which nothing is emitted, because this cannot be read. */
const unreadable = (name: string, about: string, edit: (entry: JsonObject) => JsonObject) =>
  vector({
    name,
    rule: "1.11",
    about,
    tx: create(),
    nodes: [usedUp(1)],
    only: json,
    edit,
    alerts: [["transaction_unreadable", null]]
  })

export const special = [
  vector({
    name: "ticket_of_account",
    rule: "1.8",
    about: "A payment with a ticket has Sequence 0, which no event shows",
    tx: pay({ Sequence: 0, TicketSequence: 77 }),
    events: [paid()]
  }),
  vector({
    name: "batch_inner",
    rule: "1.8",
    about: "Inner transactions stand in the ledger with their own hash; the outer one causes no event",
    several: [
      {
        tx: {
          TransactionType: "Batch",
          Account: carol,
          Flags: 0x0001_0000,
          RawTransactions: [
            {
              RawTransaction: {
                TransactionType: "Payment",
                Account: alice,
                Destination: bob,
                Amount: "5",
                Fee: "0",
                Sequence: 7,
                Flags: 0x4000_0000,
                SigningPubKey: ""
              }
            }
          ]
        },
        nodes: [balance(carol, "100", "90")]
      },
      { tx: pay({ Fee: "0", Flags: 0x4000_0000 }), meta: { ParentBatchID: batch } },
      { tx: pay({ Fee: "0", Sequence: 8, Flags: 0x4000_0000 }), meta: { ParentBatchID: batch } }
    ],
    events: [paid(1, { parent_batch_id: batch }), paid(2, { parent_batch_id: batch })]
  }),
  vector({
    name: "batch_all_failed",
    rule: "1.8",
    about: "A Batch whose inner transactions all failed: RawTransactions is never read",
    tx: {
      TransactionType: "Batch",
      Flags: 0x0001_0000,
      RawTransactions: [
        {
          RawTransaction: {
            TransactionType: "Payment",
            Account: alice,
            Destination: bob,
            Amount: "5",
            Fee: "0",
            Sequence: 8,
            Flags: 0x4000_0000,
            SigningPubKey: ""
          }
        }
      ]
    }
  }),
  vector({
    name: "batch_of_offers",
    rule: "1.8",
    about: "Every payload names the batch, whatever its type",
    tx: create({ Flags: 0x4000_0000 }),
    meta: { ParentBatchID: batch },
    nodes: [usedUp(1)],
    events: [filled("dex.offer_filled", 1, { parent_batch_id: batch })]
  }),
  vector({
    name: "delegated_payment",
    rule: "1.8",
    about: "The account stays the sender; the delegate is named and involved",
    tx: pay({ Delegate: dave }),
    events: [paid(0, { delegate: dave }, [alice, bob, dave])]
  }),
  vector({
    name: "delegate_takes_offer",
    rule: "1.9",
    about:
      "A delegate joins a set that contains the account: as the taker here; not as a stranger to the stale offer",
    tx: create({ Delegate: dave }),
    nodes: [usedUp(1), deleted("Offer", id(2), offer({ Account: carol }))],
    events: [
      filled("dex.offer_filled", 1, { delegate: dave }, [alice, bob, dave]),
      stale("dex.offer_cancelled", 2, { account: carol, delegate: dave }, [carol])
    ]
  }),
  vector({
    name: "delegate_cancels",
    rule: "1.9",
    about: "A delegate cancels the account's own offer",
    tx: { TransactionType: "OfferCancel", OfferSequence: 3, Delegate: dave },
    nodes: [deleted("Offer", id(1), offer({ Account: alice }))],
    events: [
      stale(
        "dex.offer_cancelled",
        1,
        { account: alice, reason: "cancelled", tx_type: "OfferCancel", delegate: dave },
        [alice, dave]
      )
    ]
  }),
  vector({
    name: "sponsored_payment",
    rule: "1.8",
    about: "A co-signing sponsor is named and involved",
    tx: pay({ Sponsor: dave, SponsorSignature: { SigningPubKey: "ED01", TxnSignature: "02" } }),
    events: [paid(0, { sponsor: dave }, [alice, bob, dave])]
  }),
  vector({
    name: "sponsor_that_did_not_sign",
    rule: "1.8",
    about: "A sponsor that did not sign this transaction only pays for it: it is neither named nor involved",
    tx: pay({ Sponsor: dave }),
    events: [paid()]
  }),
  vector({
    name: "origin_of_every_kind",
    rule: "1.8",
    about: "A delegate, a sponsor and a batch: each is named, and two are involved where the account is",
    tx: create({
      Delegate: dave,
      Sponsor: carol,
      SponsorFlags: 1,
      SponsorSignature: { SigningPubKey: "ED01", TxnSignature: "02" },
      Flags: 0x4000_0000
    }),
    meta: { ParentBatchID: batch },
    nodes: [usedUp(1), deleted("Offer", id(2), offer({ Account: issuer }))],
    events: [
      filled("dex.offer_filled", 1, origin, [alice, bob, carol, dave]),
      stale("dex.offer_cancelled", 2, { account: issuer, ...origin }, [issuer])
    ]
  }),
  vector({
    name: "issuer_is_not_involved",
    rule: "1.9",
    about: "A token's issuer is not involved because its token moved",
    tx: pay({ Amount: usd("1") }),
    nodes: [
      modified("RippleState", id(1), line({ low: alice, high: issuer, balance: "4", flags: HIGH_RESERVE }), {
        Balance: line({ low: alice, high: issuer, balance: "5" }).Balance
      })
    ],
    events: [event("payment.issued", { sender: alice, receiver: bob, amount: usd("1") }, [alice, bob])]
  }),
  vector({
    name: "nodes_missing",
    rule: "1.11",
    about: "Metadata without AffectedNodes: an alert, and the payment is emitted",
    tx: pay(),
    only: json,
    edit: inMeta({ AffectedNodes: null }),
    events: [paid()],
    alerts: [["nodes_unreadable", null]]
  }),
  vector({
    name: "node_unreadable",
    rule: "1.11",
    about: "One node that is none: an alert, and the others are read",
    tx: create(),
    nodes: [usedUp(1), "not a node" as Json],
    only: json,
    events: [filled("dex.offer_filled", 1)],
    alerts: [["nodes_unreadable", null]]
  }),
  vector({
    name: "field_missing",
    rule: "1.11",
    about: "A payment without its destination is withheld",
    tx: { TransactionType: "Payment", Amount: "5" },
    alerts: [["field_unreadable", "payment.xrp"]]
  }),
  vector({
    name: "entry_without_field",
    rule: "1.11",
    about: "A created offer without its account is withheld; the others are emitted",
    tx: create(),
    nodes: [created("Offer", id(1), { Sequence: 7, TakerGets: "5", TakerPays: usd("1") }), usedUp(2)],
    events: [filled("dex.offer_filled", 2)],
    alerts: [["field_unreadable", "dex.offer_created"]]
  }),
  vector({
    name: "result_unreadable",
    rule: "1.11",
    about: "A result that no validated transaction has: all events of the transaction are withheld",
    several: [{ tx: pay(), meta: { TransactionResult: "telINSUF_FEE_P" } }, { tx: pay({ Sequence: 8 }) }],
    only: json,
    events: [paid(1)],
    alerts: [["transaction_unreadable", null]]
  }),
  unreadable(
    "delegate_unreadable",
    "A delegate that is no address: all events are withheld, because it would be involved",
    inTx({ Delegate: "nobody" })
  ),
  unreadable(
    "sponsor_unreadable",
    "The same with a sponsor that signed too",
    inTx({ Sponsor: "nobody", SponsorSignature: { SigningPubKey: "ED01" } })
  ),
  unreadable(
    "batch_unreadable",
    "A batch that is no hash: all events are withheld, because each would name it",
    inMeta({ ParentBatchID: "none" })
  ),
  unreadable(
    "type_unreadable",
    "A type that is no name: nobody knows what the transaction is",
    inTx({ TransactionType: "Offer\u001b[2J" })
  )
]
