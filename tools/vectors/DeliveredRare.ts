/** Vectors of docs/detection-rules.md 1.6: amounts that nodes hardly show, and that they do not show. */
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import type { Network } from "../../src/spine/event/Network.ts"
import {
  accountIdOf,
  alice,
  balance,
  bob,
  carol,
  created,
  dave,
  deleted,
  event,
  id,
  in2013,
  issuance,
  issuer,
  modified,
  mpt,
  token,
  usd,
  vector
} from "./Build.ts"
import { beforeMptFix, holding, issued, mptFix, pay } from "./Delivered.ts"
import { inMeta, json } from "./General.ts"
import { described, LOW_RESERVE, line } from "./Lines.ts"

const sponsored = { Sponsor: dave, SponsorFlags: 1 }
const traded = (n: number, low: string, high: string, before: string, after: string) =>
  modified("RippleState", id(n), line({ low, high, balance: after }), {
    Balance: line({ low, high, balance: before }).Balance
  })
const units = (account: string, fields: JsonObject, previous?: JsonObject, of = issuance) =>
  modified("MPToken", id(5), { Account: account, MPTokenIssuanceID: of, ...fields }, previous)
/** The same payment with each of these lists of nodes. */
const each = (tx: JsonObject, nodes: ReadonlyArray<JsonObject>) =>
  nodes.map((node, n) => ({ tx: pay({ ...tx, Sequence: 7 + n }), nodes: [node] }))
const unknown = (type: "payment.issued" | "payment.xrp", of: number) =>
  ["delivered_amount_unknown", type, of] as const
const elsewhere = (name: string, network: Network, ledger_index: number) =>
  vector({
    name,
    rule: "1.6",
    about: `On ${network} it is not known when the fix came, whatever the ledger: a smaller gain is taken`,
    network,
    header: { ...mptFix, ledger_index },
    tx: pay({ Amount: mpt("100000") }),
    nodes: [holding("0", "994")],
    events: [issued(mpt("994"))],
    alerts: [["delivered_amount_doubtful", "payment.issued"]]
  })

export const deliveredRare = [
  vector({
    name: "step5_sponsor_paid_fee",
    rule: "1.6",
    about: "A sponsor paid the fee, so the sender did not (made up: there were no sponsors then)",
    header: in2013,
    tx: pay({ Destination: alice, Amount: "100", ...sponsored }),
    nodes: [balance(alice, "100", "105")],
    events: [event("payment.xrp", { sender: alice, receiver: alice, amount: "5" }, [alice])]
  }),
  vector({
    name: "step5_receiver_is_sponsor",
    rule: "1.6",
    about:
      "The receiver may have paid the fee as the sponsor, or an entry of the ledger: the event is withheld",
    header: in2013,
    tx: pay({ Destination: dave, Amount: "100", ...sponsored }),
    nodes: [balance(dave, "100", "105")],
    alerts: [unknown("payment.xrp", 0)]
  }),
  vector({
    name: "step5_lines_of_both_sides",
    rule: "1.6",
    about: "Lines of a receiver that is the issuer count from its side, be it the low or the high one",
    header: in2013,
    tx: pay({ Amount: token("10", "USD", bob) }),
    nodes: [traded(1, alice, bob, "5", "4"), traded(2, bob, carol, "-6", "-4")],
    events: [issued(token("3", "USD", bob))]
  }),
  vector({
    name: "step5_created_line",
    rule: "1.6",
    about: "A new line counts from 0, exactly to the last digit",
    header: in2013,
    tx: pay({ Amount: usd("10") }),
    nodes: [
      created(
        "RippleState",
        id(1),
        line({ low: bob, high: issuer, balance: "0.00001234567890123456", flags: LOW_RESERVE })
      )
    ],
    events: [
      event(
        "trustline.created",
        described({
          trustline_id: id(1),
          account: bob,
          balance: "0.00001234567890123456",
          tx_type: "Payment",
          auto_created: true
        }),
        [bob, issuer]
      ),
      issued(usd("0.00001234567890123456"))
    ]
  }),
  vector({
    name: "step5_deleted_line",
    rule: "1.6",
    about: "The issuer took back the last tokens of a line, which is deleted",
    header: in2013,
    tx: pay({ Destination: issuer, Amount: usd("10") }),
    nodes: [
      deleted("RippleState", id(1), line({ low: alice, high: issuer }), {
        Balance: line({ low: alice, high: issuer, balance: "4" }).Balance,
        Flags: LOW_RESERVE
      })
    ],
    events: [
      event("trustline.deleted", described({ trustline_id: id(1), account: alice, tx_type: "Payment" }), [
        alice,
        issuer
      ]),
      event("payment.issued", { sender: alice, receiver: issuer, amount: usd("4") }, [alice, issuer])
    ]
  }),
  vector({
    name: "step5_loss",
    rule: "1.6",
    about: "A receiver that has less than before, or as much, gained nothing: the events are withheld",
    header: in2013,
    several: [
      ...each({ Amount: "77" }, [balance(bob, "15", "10"), balance(bob, "15", "15")]),
      { tx: pay({ Amount: usd("1"), Sequence: 9 }), nodes: [traded(1, bob, issuer, "4", "3")] },
      { tx: pay({ Amount: mpt("300"), Sequence: 10 }), nodes: [balance(bob, "15", "20")] }
    ],
    alerts: [
      unknown("payment.xrp", 0),
      unknown("payment.xrp", 1),
      unknown("payment.issued", 2),
      ["delivered_amount_unknown", "payment.issued", 3]
    ],
    network: "mainnet"
  }),
  vector({
    name: "step5_node_unreadable",
    rule: "1.6",
    about: "A node that cannot be read may have changed the balance: the event is withheld",
    header: in2013,
    tx: pay({ Amount: "77" }),
    nodes: [balance(bob, "10", "15"), { ModifiedNode: null }],
    only: json,
    alerts: [
      ["nodes_unreadable", null],
      ["delivered_amount_unknown", "payment.xrp"]
    ]
  }),
  vector({
    name: "delivered_unreadable",
    rule: "1.11",
    about: "A delivered amount that is none is an alert, and never the amount asked for",
    tx: pay({ Amount: "77" }),
    only: json,
    edit: inMeta({ DeliveredAmount: "12 XRP" }),
    alerts: [["field_unreadable", "payment.xrp"]]
  }),
  vector({
    name: "delivered_of_api_unreadable",
    rule: "1.11",
    about: "The same with the API's field",
    tx: pay({ Amount: "77" }),
    only: json,
    edit: inMeta({ delivered_amount: {} }),
    alerts: [["field_unreadable", "payment.xrp"]]
  }),
  vector({
    name: "mpt_partial_new_holding",
    rule: "1.6",
    about: "A new MPToken counts from 0",
    network: "mainnet",
    header: beforeMptFix,
    tx: pay({ Amount: mpt("100000") }),
    nodes: [holding(undefined, "7")],
    events: [issued(mpt("7"))]
  }),
  vector({
    name: "mpt_partial_nodes_of_others",
    rule: "1.6",
    about: "Another holder, another token, and a decrease show no gain: the events are withheld",
    network: "mainnet",
    header: beforeMptFix,
    several: each({ Amount: mpt("100") }, [
      units(alice, { MPTAmount: "9" }, { MPTAmount: "5" }),
      units(bob, { MPTAmount: "9" }, { MPTAmount: "5" }, `0000002A${accountIdOf("carol")}`),
      units(bob, { MPTAmount: "5" }, { MPTAmount: "9" }),
      deleted("MPToken", id(5), { Account: bob, MPTokenIssuanceID: issuance }, { MPTAmount: "9" })
    ]),
    alerts: [0, 1, 2, 3].map((of) => unknown("payment.issued", of))
  }),
  vector({
    name: "mpt_partial_in_hex",
    rule: "1.6",
    about: "Hex, as some codecs write units, is no decimal number: the events are withheld",
    network: "mainnet",
    header: beforeMptFix,
    several: each({ Amount: mpt("100") }, [
      units(bob, { MPTAmount: "0000000000000064" }, { MPTAmount: "5" }),
      units(bob, { MPTAmount: "1F" }, { MPTAmount: "5" })
    ]),
    only: json,
    alerts: [0, 1].map((of) => unknown("payment.issued", of))
  }),
  elsewhere("mpt_partial_doubtful_testnet", "testnet", 200_000_000),
  elsewhere("mpt_partial_doubtful_devnet", "devnet", 5),
  vector({
    name: "mpt_partial_more",
    rule: "1.6",
    about: "On such a network a gain of more than the maximum decides nothing: no alert",
    network: "testnet",
    tx: pay({ Amount: mpt("994") }),
    nodes: [holding("1000", "1995")],
    events: [issued(mpt("994"))]
  })
]
