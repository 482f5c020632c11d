/** Vectors of docs/detection-rules.md 1.6 and D20: what a Payment, CheckCash or AccountDelete delivered. */
import {
  alice,
  balance,
  bob,
  carol,
  created,
  dave,
  event,
  hashNamed,
  id,
  in2013,
  issuance,
  issuer,
  modified,
  token,
  usd,
  vector
} from "./Build.ts"
import { described, LOW_RESERVE, line } from "./Lines.ts"

const PARTIAL = 0x0002_0000
export const pay = (tx: object) => ({ TransactionType: "Payment", Destination: bob, Flags: PARTIAL, ...tx })
const xrp = (amount: string, fields = {}) =>
  event("payment.xrp", { sender: alice, receiver: bob, amount, ...fields }, [alice, bob])
export const issued = (amount: object, fields = {}) =>
  event("payment.issued", { sender: alice, receiver: bob, amount: { ...amount }, ...fields }, [alice, bob])

/** A line between two accounts whose balance changed, from the low side's view. */
const traded = (n: number, low: string, high: string, before: string, after: string, currency = "USD") =>
  modified("RippleState", id(n), line({ low, high, currency, balance: after }), {
    Balance: line({ low, high, currency, balance: before }).Balance
  })

export const check = { Account: alice, Destination: bob, SendMax: "1000", Sequence: 4 }
export const cash = (tx: object) => ({ TransactionType: "CheckCash", Account: bob, CheckID: id(1), ...tx })
export const cashed = (amount: string | object, send_max: string | object = "1000") =>
  event(
    "check.cashed",
    { check_id: id(1), account: alice, destination: bob, send_max, sequence: 4, amount } as never,
    [alice, bob]
  )

/** The last ledger of the main network before fixMPTDeliveredAmount. */
export const beforeMptFix = {
  ledger_index: 101_852_416,
  close_time: 800_000_000,
  parent_close_time: 799_999_996
}
export const mptFix = { ...beforeMptFix, ledger_index: 101_852_417 }
export const holding = (before: string | undefined, after: string) =>
  before === undefined
    ? created("MPToken", id(5), { Account: bob, MPTokenIssuanceID: issuance, MPTAmount: after })
    : modified(
        "MPToken",
        id(5),
        { Account: bob, MPTokenIssuanceID: issuance, MPTAmount: after },
        { MPTAmount: before }
      )

export const delivered = [
  vector({
    name: "xrp_partial_exploit",
    rule: "1.6",
    about: "A partial payment delivers what the metadata say, not the enormous amount that it names",
    tx: pay({ Amount: "100000000000000000", SendMax: usd("1") }),
    meta: { DeliveredAmount: "147413155" },
    events: [xrp("147413155")]
  }),
  vector({
    name: "issued_partial_exploit",
    rule: "1.6",
    about: "The same with tokens",
    tx: pay({ Amount: usd("1000000000") }),
    meta: { DeliveredAmount: usd("0.01") },
    events: [issued(usd("0.01"))]
  }),
  vector({
    name: "partial_delivers_other_form",
    rule: "1.6",
    about: "DeliveredAmount is passed on in the ledger's text form",
    tx: pay({ Amount: usd("9999999999999999e80") }),
    meta: { DeliveredAmount: usd("1234567890123456e-30") },
    events: [issued(usd("1234567890123456e-30"))]
  }),
  vector({
    name: "partial_full_modern",
    rule: "1.6",
    about: "A recent partial payment without DeliveredAmount was delivered in full",
    tx: pay({ Amount: "500" }),
    events: [xrp("500")]
  }),
  vector({
    name: "unavailable_nonpartial",
    rule: "1.6",
    about:
      "A payment that is not partial delivers its amount in old ledgers too, where the API says unavailable",
    header: in2013,
    tx: pay({ Flags: 0, Amount: "500" }),
    events: [xrp("500")]
  }),
  vector({
    name: "step5_xrp",
    rule: "1.6",
    about: "An old partial payment: the receiver's balance tells the amount",
    header: in2013,
    tx: pay({ Amount: "100" }),
    nodes: [balance(bob, "10", "15"), balance(alice, "100", "80")],
    events: [xrp("5")]
  }),
  vector({
    name: "step5_created_account",
    rule: "1.6",
    about: "An old partial payment that created the receiver: its first balance is the amount",
    header: in2013,
    tx: pay({ Amount: "90000000" }),
    nodes: [created("AccountRoot", hashNamed(bob), { Account: bob, Balance: "60000000", Sequence: 1 })],
    events: [
      event(
        "account.created",
        { account: bob, created_by: alice, initial_balance: "60000000", tx_type: "Payment" },
        [alice, bob]
      ),
      xrp("60000000")
    ]
  }),
  vector({
    name: "first_ledger_with_delivered_amount",
    rule: "1.6",
    about: "Ledger 4,594,095 is the first in which an absent DeliveredAmount means in full",
    header: { ...in2013, ledger_index: 4_594_095 },
    tx: pay({ Amount: "100" }),
    nodes: [balance(bob, "10", "15")],
    events: [xrp("100")]
  }),
  vector({
    name: "last_ledger_without_delivered_amount",
    rule: "1.6",
    about: "One ledger earlier, at the last such close time, the amount is derived",
    header: { ledger_index: 4_594_094, close_time: 446_000_000, parent_close_time: 445_999_990 },
    tx: pay({ Amount: "100" }),
    nodes: [balance(bob, "10", "15")],
    events: [xrp("5")]
  }),
  vector({
    name: "young_network",
    rule: "1.6",
    about: "On a young network with low indexes the close time decides",
    header: { ledger_index: 41_452, close_time: 620_000_000, parent_close_time: 619_999_997 },
    tx: pay({ Amount: "100" }),
    nodes: [balance(bob, "10", "15")],
    events: [xrp("100")]
  }),
  vector({
    name: "step2_api_amount",
    rule: "1.6",
    about: "The API's delivered_amount counts where DeliveredAmount is absent; bytes do not have it",
    header: in2013,
    tx: pay({ Amount: "100" }),
    meta: { delivered_amount: "7" },
    only: ["v1", "v2"],
    events: [xrp("7")]
  }),
  vector({
    name: "step1_before_step2",
    rule: "1.6",
    about: "DeliveredAmount, which the hash covers, counts before the API's delivered_amount",
    tx: pay({ Amount: "100" }),
    meta: { DeliveredAmount: "7", delivered_amount: "100" },
    events: [xrp("7")]
  }),
  vector({
    name: "step5_receiver_paid_fee",
    rule: "1.6",
    about: "If the receiver paid the fee, it gained the fee more than its balance shows",
    header: in2013,
    tx: pay({ Destination: alice, Amount: "100", SendMax: usd("1") }),
    nodes: [balance(alice, "100", "95")],
    events: [event("payment.xrp", { sender: alice, receiver: alice, amount: "5" }, [alice])]
  }),
  vector({
    name: "step5_delegate_paid_fee",
    rule: "1.6",
    about: "With a delegate the sender did not pay the fee (made up: there were no delegates then)",
    header: in2013,
    tx: pay({ Destination: alice, Amount: "100", SendMax: usd("1"), Delegate: dave }),
    nodes: [balance(alice, "100", "105")],
    events: [
      event("payment.xrp", { sender: alice, receiver: alice, amount: "5", delegate: dave }, [alice, dave])
    ]
  }),
  vector({
    name: "step5_receiver_is_delegate",
    rule: "1.6",
    about: "A receiver that paid the fee as the delegate (made up)",
    header: in2013,
    tx: pay({ Destination: dave, Amount: "100", Delegate: dave }),
    nodes: [balance(dave, "100", "95")],
    events: [
      event("payment.xrp", { sender: alice, receiver: dave, amount: "5", delegate: dave }, [alice, dave])
    ]
  }),
  vector({
    name: "step5_lines_of_issuer",
    rule: "1.6",
    about: "Only the receiver's line with the amount's issuer counts",
    header: in2013,
    tx: pay({ Amount: usd("50"), SendMax: usd("60") }),
    nodes: [
      traded(1, bob, issuer, "1", "4"),
      traded(2, bob, carol, "10", "9"),
      traded(3, bob, issuer, "1", "40", "EUR"),
      traded(4, alice, issuer, "10", "7")
    ],
    events: [issued(usd("3"))]
  }),
  vector({
    name: "step5_high_side",
    rule: "1.6",
    about: "The balance is seen from the receiver, here the high side",
    header: in2013,
    tx: pay({ Destination: dave, Amount: token("50", "USD", carol) }),
    nodes: [traded(1, carol, dave, "-1", "-1.75")],
    events: [
      event("payment.issued", { sender: alice, receiver: dave, amount: token("0.75", "USD", carol) }, [
        alice,
        dave
      ])
    ]
  }),
  vector({
    name: "step5_receiver_is_issuer",
    rule: "1.6",
    about: "If the receiver is the amount's issuer, all its lines in the currency count",
    header: in2013,
    tx: pay({ Destination: issuer, Amount: usd("50") }),
    nodes: [traded(1, carol, issuer, "5", "4"), traded(2, dave, issuer, "5", "3")],
    events: [event("payment.issued", { sender: alice, receiver: issuer, amount: usd("3") }, [alice, issuer])]
  }),
  vector({
    name: "step5_no_node",
    rule: "1.6",
    about: "No node of the receiver: the event is withheld",
    header: in2013,
    tx: pay({ Amount: "100" }),
    nodes: [balance(alice, "100", "80")],
    alerts: [["delivered_amount_unknown", "payment.xrp"]]
  }),
  vector({
    name: "step5_no_gain",
    rule: "1.6",
    about: "A receiver whose balance did not grow: the event is withheld",
    header: in2013,
    tx: pay({ Amount: usd("100") }),
    nodes: [traded(1, bob, issuer, "10", "10")],
    alerts: [["delivered_amount_unknown", "payment.issued"]]
  }),
  vector({
    name: "withheld_keeps_others",
    rule: "1.11",
    about: "Only the payment is withheld; the transaction's other events are emitted",
    header: in2013,
    tx: pay({ Amount: usd("100"), SendMax: "500" }),
    nodes: [
      modified(
        "Offer",
        id(1),
        { Account: carol, Sequence: 3, TakerGets: usd("6"), TakerPays: "60" },
        { TakerGets: usd("10"), TakerPays: "100" }
      ),
      created("RippleState", id(2), line({ low: dave, high: issuer, balance: "4", flags: LOW_RESERVE }))
    ],
    events: [
      event(
        "trustline.created",
        described({
          trustline_id: id(2),
          account: dave,
          balance: "4",
          tx_type: "Payment",
          auto_created: true
        }),
        [dave, issuer]
      ),
      event(
        "dex.offer_partial",
        {
          offer_id: id(1),
          offer_sequence: 3,
          account: carol,
          taker: alice,
          filled_taker_gets: usd("4"),
          filled_taker_pays: "40",
          remaining_taker_gets: usd("6"),
          remaining_taker_pays: "60",
          tx_type: "Payment"
        },
        [alice, carol]
      )
    ],
    alerts: [["delivered_amount_unknown", "payment.issued"]]
  })
]
