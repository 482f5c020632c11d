/** Vectors of docs/detection-rules.md 1.1 to 1.4, 1.8 and 1.10: what holds for every event. */
import type { EventType } from "../../src/spine/event/EventType.ts"
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import {
  alice,
  balance,
  bob,
  carol,
  created,
  deleted,
  erin,
  event,
  hashNamed,
  id,
  issuer,
  modified,
  usd,
  vector
} from "./Build.ts"
import { described, LOW_RESERVE, line } from "./Lines.ts"

export const pay = (tx: object = {}) => ({ TransactionType: "Payment", Destination: bob, Amount: "5", ...tx })
export const paid = (of = 0, fields: JsonObject = {}, accounts: ReadonlyArray<string> = [alice, bob]) =>
  event("payment.xrp", { sender: alice, receiver: bob, amount: "5", ...fields }, accounts, of)
export const offer = (fields: object = {}): JsonObject => ({
  Account: bob,
  Sequence: 3,
  TakerGets: usd("10"),
  TakerPays: "200",
  ...fields
})
export const usedUp = (n: number, fields: object = {}) =>
  deleted("Offer", id(n), offer({ TakerGets: usd("0"), TakerPays: "0", ...fields }), {
    TakerGets: usd("10"),
    TakerPays: "200"
  })
type Name = EventType | `${EventType}:${number}`
export const filled = (name: Name, n: number, fields: JsonObject = {}, accounts = [alice, bob]) =>
  event(
    name,
    {
      offer_id: id(n),
      offer_sequence: 3,
      account: bob,
      taker: alice,
      filled_taker_gets: usd("10"),
      filled_taker_pays: "200",
      remaining_taker_gets: usd("0"),
      remaining_taker_pays: "0",
      tx_type: "OfferCreate",
      ...fields
    },
    accounts
  )
export const stale = (name: Name, n: number, fields: JsonObject = {}, accounts = [bob]) =>
  event(
    name,
    {
      offer_id: id(n),
      offer_sequence: 3,
      account: bob,
      taker_gets: usd("10"),
      taker_pays: "200",
      reason: "unfunded",
      tx_type: "OfferCreate",
      ...fields
    },
    accounts
  )
export const create = (tx: object = {}) => ({
  TransactionType: "OfferCreate",
  TakerGets: "200",
  TakerPays: usd("10"),
  ...tx
})
export const batch = hashNamed("the batch")
export const json = ["v1", "v2"] as const
/** Changes the metadata of the only transaction, in both versions of the API. */
export const inMeta =
  (fields: JsonObject) =>
  (entry: JsonObject): JsonObject => {
    const name = "meta" in entry ? "meta" : "metaData"
    return { ...entry, [name]: { ...(entry[name] as JsonObject), ...fields } }
  }
/** Changes the transaction's own fields, in both versions of the API. */
export const inTx =
  (fields: JsonObject) =>
  (entry: JsonObject): JsonObject =>
    "tx_json" in entry
      ? { ...entry, tx_json: { ...(entry["tx_json"] as JsonObject), ...fields } }
      : { ...entry, ...fields }
const pseudo = (TransactionType: string, fields: object = {}) => ({
  TransactionType,
  Account: "rrrrrrrrrrrrrrrrrrrrrhoLvTp",
  Fee: "0",
  Sequence: 0,
  ...fields
})
const removedLine = (n: number) => deleted("RippleState", id(n), line({ low: alice, high: issuer }))

export const general = [
  vector({ name: "empty_ledger", rule: "1.1", about: "A ledger without transactions" }),
  vector({
    name: "pseudo_transactions",
    rule: "1.1",
    about: "The network's own transactions cause no event, whatever they change",
    several: [
      {
        tx: pseudo("EnableAmendment", { Amendment: id(9), LedgerSequence: 105_000_000 }),
        nodes: [removedLine(1)]
      },
      { tx: pseudo("SetFee", { BaseFeeDrops: "10" }), nodes: [removedLine(2)] },
      {
        tx: pseudo("UNLModify", {
          LedgerSequence: 105_000_000,
          UNLModifyDisabling: 1,
          UNLModifyValidator: "ED01"
        })
      }
    ]
  }),
  vector({
    name: "unknown_transaction_type",
    rule: "1.1",
    about: "A type that nobody knows yet: node detectors still run",
    tx: { TransactionType: "NotYetInvented", Wealth: "all" },
    nodes: [usedUp(1), created("NotYetAnEntry", id(2), { Account: alice })],
    only: json,
    events: [filled("dex.offer_filled", 1, { tx_type: "NotYetInvented" })]
  }),
  vector({
    name: "unknown_fields",
    rule: "1.1",
    about: "Unknown fields of a known entry and a known transaction change nothing",
    tx: pay(),
    only: json,
    edit: (entry) => inTx({ Novelty: { of: ["any", "form"] } })(inMeta({ Novelty: 1 })(entry)),
    events: [paid()]
  }),
  vector({
    name: "other_activity",
    rule: "1.10",
    about: "Transactions without an event of their own, and nodes that change balances only",
    several: [
      { tx: { TransactionType: "TicketCreate", TicketCount: 1 }, nodes: [balance(alice, "9", "8")] },
      {
        tx: { TransactionType: "Clawback", Account: issuer, Amount: usd("1") },
        nodes: [
          modified("RippleState", id(1), line({ low: alice, high: issuer, balance: "4", lowLimit: "9" }), {
            Balance: line({ low: alice, high: issuer, balance: "5" }).Balance
          })
        ]
      },
      {
        tx: { TransactionType: "PaymentChannelClaim", Channel: id(4), Balance: "7" },
        nodes: [balance(bob, "1", "8")]
      },
      { tx: { TransactionType: "DepositPreauth", Authorize: bob }, nodes: [balance(alice, "8", "7")] },
      {
        tx: { TransactionType: "OracleDelete", OracleDocumentID: 1 },
        nodes: [deleted("Oracle", id(3), { Owner: alice })]
      }
    ]
  }),
  vector({
    name: "zero_defaults",
    rule: "1.2",
    about: "New lists no default values: a missing balance, amount and flag are 0",
    several: [
      { tx: pay(), nodes: [created("AccountRoot", id(1), { Account: bob })] },
      {
        tx: { TransactionType: "NFTokenCreateOffer", Owner: carol, NFTokenID: id(8), Amount: "0" },
        nodes: [created("NFTokenOffer", id(2), { Owner: alice, NFTokenID: id(8) })]
      }
    ],
    events: [
      event(
        "account.created",
        { account: bob, created_by: alice, initial_balance: "0", tx_type: "Payment" },
        [alice, bob]
      ),
      paid(),
      event(
        "nft.offer_created",
        {
          offer_id: id(2),
          nftoken_id: id(8),
          owner: alice,
          is_sell: false,
          amount: "0",
          nft_owner: carol
        },
        [alice, carol],
        1
      )
    ]
  }),
  vector({
    name: "order_in_ledger",
    rule: "1.3",
    about: "Transactions ran in the order of TransactionIndex; servers list them by hash",
    several: ["1", "2", "3", "4", "5"].map((Amount) => ({ tx: pay({ Amount }) })),
    events: ["1", "2", "3", "4", "5"].map((amount, of) => paid(of, { amount }))
  }),
  vector({
    name: "order_of_types",
    rule: "1.3",
    about: "The events of one transaction come in the order of their types, not of their nodes",
    tx: pay({ Amount: usd("9"), SendMax: "900" }),
    nodes: [
      usedUp(1),
      deleted("Offer", id(2), offer({ Account: carol })),
      modified("Offer", id(3), offer({ TakerGets: usd("7") }), { TakerGets: usd("10") }),
      created("RippleState", id(4), line({ low: bob, high: issuer, balance: "9", flags: LOW_RESERVE })),
      removedLine(5),
      modified("RippleState", id(6), line({ low: carol, high: issuer, flags: LOW_RESERVE, lowLimit: "2" }), {
        LowLimit: { currency: "USD", issuer: carol, value: "1" }
      }),
      created("AccountRoot", id(7), { Account: erin, Balance: "1" })
    ],
    events: [
      event(
        "account.created",
        { account: erin, created_by: alice, initial_balance: "1", tx_type: "Payment" },
        [alice, erin]
      ),
      event(
        "trustline.created",
        described({
          trustline_id: id(4),
          account: bob,
          balance: "9",
          tx_type: "Payment",
          auto_created: true
        }),
        [bob, issuer]
      ),
      event(
        "trustline.modified",
        described({
          trustline_id: id(6),
          account: carol,
          limit: "2",
          tx_type: "Payment",
          changed_by: alice,
          changes: [{ field: "limit", previous: "1", value: "2" }]
        }),
        [carol, issuer]
      ),
      event("trustline.deleted", described({ trustline_id: id(5), account: alice, tx_type: "Payment" }), [
        alice,
        issuer
      ]),
      filled("dex.offer_partial", 3, {
        filled_taker_gets: usd("3"),
        filled_taker_pays: "0",
        remaining_taker_gets: usd("7"),
        remaining_taker_pays: "200",
        tx_type: "Payment"
      }),
      filled("dex.offer_filled", 1, { tx_type: "Payment" }),
      stale("dex.offer_cancelled", 2, { account: carol, tx_type: "Payment" }, [carol]),
      event("payment.issued", { sender: alice, receiver: bob, amount: usd("9") }, [alice, bob])
    ]
  }),
  vector({
    name: "numbers_restart",
    rule: "1.3",
    about: "Numbers restart with each transaction",
    several: [
      { tx: create(), nodes: [usedUp(1), usedUp(2)] },
      { tx: create({ Sequence: 8 }), nodes: [usedUp(3), usedUp(4)] },
      { tx: create({ Sequence: 9 }), nodes: [usedUp(5)] }
    ],
    events: [
      filled("dex.offer_filled:0", 1),
      filled("dex.offer_filled:1", 2),
      { ...filled("dex.offer_filled:0", 3), of: 1 },
      { ...filled("dex.offer_filled:1", 4), of: 1 },
      { ...filled("dex.offer_filled", 5), of: 2 }
    ]
  }),
  vector({
    name: "withheld_keeps_numbers",
    rule: "1.3",
    about:
      "Three filled offers of which the second cannot be read: 0 and 2, so a later correction changes no id",
    tx: create(),
    nodes: [usedUp(1), usedUp(2, { TakerGets: "a lot" }), usedUp(3)],
    only: json,
    events: [filled("dex.offer_filled:0", 1), filled("dex.offer_filled:2", 3)],
    alerts: [["field_unreadable", "dex.offer_filled"]]
  }),
  vector({
    name: "withheld_keeps_number_of_one",
    rule: "1.3",
    about: "Two filled offers of which the first cannot be read: the second keeps its number 1",
    tx: create(),
    nodes: [usedUp(1, { TakerPays: { currency: "USD", value: "1" } }), usedUp(2)],
    only: json,
    events: [filled("dex.offer_filled:1", 2)],
    alerts: [["field_unreadable", "dex.offer_filled"]]
  })
]
