/** Vectors of what stands beside the payload for those who book events: memos, and changes of balances. */
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
  issuance,
  issuer,
  modified,
  mpt,
  usd,
  vector
} from "./Build.ts"
import { line } from "./Lines.ts"

export const pay = (tx: object = {}) => ({
  TransactionType: "Payment",
  Destination: bob,
  Amount: "1000000",
  ...tx
})
export const paid = (
  beside: JsonObject,
  fields: JsonObject = {},
  accounts: ReadonlyArray<string> = [alice, bob]
) =>
  event(
    typeof fields["amount"] === "object" ? "payment.issued" : "payment.xrp",
    { sender: alice, receiver: bob, amount: "1000000", ...fields },
    accounts,
    0,
    beside
  )
/** Changes as [account, asset, change], sorted by account. */
export const changes = (
  ...list: ReadonlyArray<readonly [account: string, asset: Json, change: string]>
): JsonObject => ({
  balance_changes: list
    .map(([account, asset, change]) => ({ account, asset, change }))
    .toSorted((a, b) => (a.account < b.account ? -1 : a.account > b.account ? 1 : 0))
})
export const nothing: JsonObject = { balance_changes: [] }
export const memo = (fields: JsonObject) => ({ Memo: fields })
export const lineChanged = (n: number, low: string, high: string, before: string, after: string) =>
  modified("RippleState", id(n), line({ low, high, balance: after }), {
    Balance: line({ low, high, balance: before }).Balance
  })
export const usdOf = (of: string) => ({ currency: "USD", issuer: of })
const kilobyte = "AB".repeat(600)

export const booking = [
  vector({
    name: "memos_of_payment",
    rule: "6.1",
    booking: true,
    about: "Memos in hex, as in the ledger; a field that a memo lacks is absent",
    tx: pay({
      Memos: [
        memo({ MemoType: "74657874", MemoFormat: "706C61696E", MemoData: "68656C6C6F" }),
        memo({ MemoData: "00FF" })
      ]
    }),
    events: [
      paid({
        memos: [{ type: "74657874", format: "706C61696E", data: "68656C6C6F" }, { data: "00FF" }],
        ...nothing
      })
    ]
  }),
  vector({
    name: "memos_truncated",
    rule: "6.1",
    booking: true,
    about:
      "More than 1,024 bytes: whole memos in their order, as far as they fit, and a sign that others are left out",
    tx: pay({ Memos: [memo({ MemoData: kilobyte }), memo({ MemoData: kilobyte })] }),
    events: [paid({ memos: [{ data: kilobyte }], memos_truncated: true, ...nothing })]
  }),
  vector({
    name: "memos_too_large",
    rule: "6.1",
    booking: true,
    about: "A first memo of more than 1,024 bytes: no memos, but the sign",
    tx: pay({ Memos: [memo({ MemoData: "AB".repeat(1_025) })] }),
    events: [paid({ memos_truncated: true, ...nothing })]
  }),
  vector({
    name: "memos_of_every_event",
    rule: "6.1",
    booking: true,
    about: "Every event of a transaction has its memos",
    tx: {
      TransactionType: "OfferCreate",
      TakerGets: "5",
      TakerPays: usd("1"),
      Memos: [memo({ MemoData: "01" })]
    },
    nodes: [
      deleted("Offer", id(1), { Account: bob, Sequence: 3, TakerGets: usd("1"), TakerPays: "5" }),
      deleted("Offer", id(2), { Account: carol, Sequence: 3, TakerGets: usd("1"), TakerPays: "5" })
    ],
    events: [bob, carol].map((account, n) =>
      event(
        n === 0 ? "dex.offer_cancelled:0" : "dex.offer_cancelled:1",
        {
          offer_id: id(n + 1),
          offer_sequence: 3,
          account,
          taker_gets: usd("1"),
          taker_pays: "5",
          reason: "unfunded",
          tx_type: "OfferCreate"
        },
        [account],
        0,
        { memos: [{ data: "01" }], ...nothing }
      )
    )
  }),
  vector({
    name: "changes_xrp",
    rule: "6.2",
    booking: true,
    about: "XRP in drops; the fee is in the change of the account that paid it",
    tx: pay(),
    nodes: [balance(alice, "5000000", "3999990"), balance(bob, "5000000", "6000000")],
    events: [paid(changes([alice, "XRP", "-1000010"], [bob, "XRP", "1000000"]))]
  }),
  vector({
    name: "changes_of_new_account",
    rule: "6.2",
    booking: true,
    about: "A created account gained its first balance",
    tx: pay(),
    nodes: [
      balance(alice, "5000000", "3999990"),
      created("AccountRoot", id(1), { Account: bob, Balance: "1000000" })
    ],
    events: [
      event(
        "account.created",
        { account: bob, created_by: alice, initial_balance: "1000000", tx_type: "Payment" },
        [alice, bob],
        0,
        changes([alice, "XRP", "-1000010"], [bob, "XRP", "1000000"])
      ),
      paid(changes([alice, "XRP", "-1000010"], [bob, "XRP", "1000000"]))
    ]
  }),
  vector({
    name: "changes_token",
    rule: "6.2",
    booking: true,
    about:
      "A token from the account's view, here the low and the high side; only involved accounts are listed",
    tx: pay({ Amount: usd("3"), Destination: dave }),
    nodes: [
      lineChanged(1, alice, issuer, "10", "7"),
      lineChanged(2, carol, dave, "-1", "-4"),
      lineChanged(3, bob, issuer, "1", "2"),
      balance(alice, "100", "90")
    ],
    events: [
      paid(
        changes([alice, "XRP", "-10"], [alice, usdOf(issuer), "-3"], [dave, usdOf(carol), "3"]),
        { amount: usd("3"), receiver: dave },
        [alice, dave]
      )
    ]
  }),
  vector({
    name: "changes_of_issuer",
    rule: "6.2",
    booking: true,
    about: "For an issuer that is involved, the other side of the line takes the issuer's place",
    tx: pay({ Amount: usd("3"), Destination: issuer }),
    nodes: [lineChanged(1, alice, issuer, "10", "7")],
    events: [
      paid(
        changes([alice, usdOf(issuer), "-3"], [issuer, usdOf(alice), "3"]),
        { amount: usd("3"), receiver: issuer },
        [alice, issuer]
      )
    ]
  }),
  vector({
    name: "changes_exact",
    rule: "6.2",
    booking: true,
    about: "Changes are exact, in plain notation",
    tx: pay({ Amount: usd("1") }),
    nodes: [lineChanged(1, bob, issuer, "0.1234567890123456", "1000000000000000e-3")],
    events: [paid(changes([bob, usdOf(issuer), "999999999999.8765432109876544"]), { amount: usd("1") })]
  }),
  vector({
    name: "changes_mpt",
    rule: "6.2",
    booking: true,
    about: "A multi-purpose token in units; for its issuer, what it owes grew",
    tx: pay({ Account: issuer, Amount: mpt("50") }),
    nodes: [
      created("MPToken", id(1), { Account: bob, MPTokenIssuanceID: issuance, MPTAmount: "50" }),
      modified(
        "MPTokenIssuance",
        id(2),
        { Issuer: issuer, Sequence: 42, OutstandingAmount: "150" },
        { OutstandingAmount: "100" }
      )
    ],
    events: [
      paid(
        changes([bob, { mpt_issuance_id: issuance }, "50"], [issuer, { mpt_issuance_id: issuance }, "-50"]),
        { amount: mpt("50"), sender: issuer },
        [bob, issuer]
      )
    ]
  }),
  vector({
    name: "changes_unknown",
    rule: "6.2",
    booking: true,
    about: "A node that cannot be read may have changed any balance: no changes are given",
    tx: pay(),
    nodes: [balance(alice, "5000000", "3999990"), "not a node" as Json],
    only: ["v1", "v2"],
    events: [paid({})],
    alerts: [["nodes_unreadable", null]]
  })
]
