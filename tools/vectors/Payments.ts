/** Vectors of docs/detection-rules.md 2.1, 2.2 and D27: Payments. */
import {
  alice,
  balance,
  bob,
  carol,
  created,
  deleted,
  eur,
  event,
  hashNamed,
  id,
  issuer,
  modified,
  mpt,
  token,
  usd,
  vector
} from "./Build.ts"
import { described, line } from "./Lines.ts"

const pay = (tx: object) => ({ TransactionType: "Payment", Destination: bob, Amount: "1000000", ...tx })
const sent = { sender: alice, receiver: bob, amount: "1000000" }
const both = [alice, bob]
const invoice = hashNamed("an invoice")

export const payments = [
  vector({
    name: "xrp_direct",
    rule: "2.1",
    about: "A Payment of XRP between two accounts",
    tx: pay({}),
    nodes: [balance(alice, "5000000", "3999990"), balance(bob, "5000000", "6000000")],
    events: [event("payment.xrp", sent, both)]
  }),
  vector({
    name: "xrp_tag_zero",
    rule: "2.1",
    about: "0 is a destination tag",
    tx: pay({ DestinationTag: 0 }),
    events: [event("payment.xrp", { ...sent, destination_tag: 0 }, both)]
  }),
  vector({
    name: "xrp_tag_largest",
    rule: "2.1",
    about: "A tag is an unsigned number of 32 bits",
    tx: pay({ DestinationTag: 4_294_967_295 }),
    events: [event("payment.xrp", { ...sent, destination_tag: 4_294_967_295 }, both)]
  }),
  vector({
    name: "xrp_source_tag_and_invoice",
    rule: "D27",
    about: "A payment of XRP has source_tag and invoice_id, as payments of tokens do",
    tx: pay({ SourceTag: 11, InvoiceID: invoice }),
    events: [event("payment.xrp", { ...sent, source_tag: 11, invoice_id: invoice }, both)]
  }),
  vector({
    name: "xrp_source_tag_zero",
    rule: "D27",
    about: "0 is a source tag",
    tx: pay({ SourceTag: 0 }),
    events: [event("payment.xrp", { ...sent, source_tag: 0 }, both)]
  }),
  vector({
    name: "xrp_funds_account",
    rule: "2.1",
    about: "A Payment that creates its destination causes two events; account.created comes first",
    tx: pay({ Amount: "20000000" }),
    nodes: [
      balance(alice, "50000000", "29999990"),
      created("AccountRoot", hashNamed(bob), { Account: bob, Balance: "20000000", Sequence: 9 })
    ],
    events: [
      event(
        "account.created",
        { account: bob, created_by: alice, initial_balance: "20000000", tx_type: "Payment" },
        both
      ),
      event("payment.xrp", { ...sent, amount: "20000000" }, both)
    ]
  }),
  vector({
    name: "xrp_tec",
    rule: "2.1",
    about: "A failed Payment only costs the fee",
    tx: pay({}),
    meta: { TransactionResult: "tecUNFUNDED_PAYMENT" },
    nodes: [balance(alice, "5000000", "4999990")]
  }),
  vector({
    name: "xrp_to_oneself",
    rule: "2.1",
    about: "A conversion to XRP: sender and receiver are equal, and involved once",
    tx: pay({ Destination: alice, SendMax: usd("10") }),
    events: [event("payment.xrp", { ...sent, receiver: alice }, [alice])]
  }),
  vector({
    name: "xrp_bought_with_tokens",
    rule: "2.1",
    about: "What arrived decides the type, not what was spent",
    tx: pay({ SendMax: usd("10") }),
    events: [event("payment.xrp", sent, both)]
  }),
  vector({
    name: "issued_simple",
    rule: "2.2",
    about: "A Payment of tokens; the issuer is not involved",
    tx: pay({ Amount: usd("12.5") }),
    nodes: [
      modified("RippleState", id(1), line({ low: alice, high: issuer, balance: "7.5" }), {
        Balance: line({ low: alice, high: issuer, balance: "20" }).Balance
      }),
      modified("RippleState", id(2), line({ low: bob, high: issuer, balance: "12.5" }), {
        Balance: line({ low: bob, high: issuer, balance: "0" }).Balance
      })
    ],
    events: [event("payment.issued", { ...sent, amount: usd("12.5") }, both)]
  }),
  vector({
    name: "issued_all_fields",
    rule: "1.4",
    about: "All optional fields, in the order of the schema",
    tx: pay({ Amount: usd("1"), DestinationTag: 1, SourceTag: 2, InvoiceID: invoice }),
    events: [
      event(
        "payment.issued",
        { ...sent, amount: usd("1"), destination_tag: 1, source_tag: 2, invoice_id: invoice },
        both
      )
    ]
  }),
  vector({
    name: "lower_case_hashes",
    rule: "1.4",
    about: "Hashes of the transaction are in upper case, whatever the source writes",
    tx: pay({ Amount: usd("1"), InvoiceID: invoice }),
    only: ["v1", "v2"],
    edit: (entry) =>
      JSON.parse(
        JSON.stringify(entry).replace(/(?<="(?:hash|InvoiceID)":")[0-9A-F]{64}/g, (hash) =>
          hash.toLowerCase()
        )
      ),
    events: [event("payment.issued", { ...sent, amount: usd("1"), invoice_id: invoice }, both)]
  }),
  vector({
    name: "issued_by_issuer",
    rule: "2.2",
    about: "Issuing tokens is a payment",
    tx: pay({ Account: issuer, Amount: usd("100") }),
    events: [event("payment.issued", { sender: issuer, receiver: bob, amount: usd("100") }, [issuer, bob])]
  }),
  vector({
    name: "issued_redeem",
    rule: "2.2",
    about: "Redeeming the last tokens of a line without settings also deletes the line",
    tx: pay({ Destination: issuer, Amount: usd("5") }),
    nodes: [
      deleted("RippleState", id(1), line({ low: alice, high: issuer, balance: "0" }), {
        Balance: line({ low: alice, high: issuer, balance: "5" }).Balance,
        Flags: 0x0001_0000
      })
    ],
    events: [
      event("trustline.deleted", described({ trustline_id: id(1), account: alice, tx_type: "Payment" }), [
        alice,
        issuer
      ]),
      event("payment.issued", { sender: alice, receiver: issuer, amount: usd("5") }, [alice, issuer])
    ]
  }),
  vector({
    name: "issued_bought_with_xrp",
    rule: "2.2",
    about: "XRP was spent and tokens arrived: payment.issued only",
    tx: pay({ Amount: usd("3"), SendMax: "9000000" }),
    events: [event("payment.issued", { ...sent, amount: usd("3") }, both)]
  }),
  vector({
    name: "issued_self_conversion",
    rule: "2.2",
    about: "A conversion between two tokens by one account",
    tx: pay({ Destination: alice, Amount: eur("2"), SendMax: usd("3") }),
    events: [event("payment.issued", { sender: alice, receiver: alice, amount: eur("2") }, [alice])]
  }),
  vector({
    name: "issued_any_issuer",
    rule: "1.6",
    about: "A receiver as the amount's issuer means any issuer that it trusts, and is passed on",
    tx: pay({ Amount: token("4", "USD", bob), SendMax: usd("5") }),
    events: [event("payment.issued", { ...sent, amount: token("4", "USD", bob) }, both)]
  }),
  vector({
    name: "mpt_payment",
    rule: "2.2",
    about: "A multi-purpose token arrived",
    tx: pay({ Amount: mpt("250") }),
    events: [event("payment.issued", { ...sent, amount: mpt("250") }, both)]
  }),
  vector({
    name: "two_payments",
    rule: "1.3",
    about: "Two transactions with one event each: neither id has a number",
    several: [{ tx: pay({}) }, { tx: pay({ Account: carol, Sequence: 3, Amount: "5" }) }],
    events: [
      event("payment.xrp", sent, both),
      event("payment.xrp", { sender: carol, receiver: bob, amount: "5" }, [carol, bob], 1)
    ]
  })
]
