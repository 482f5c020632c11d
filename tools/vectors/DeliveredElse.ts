/** Vectors of docs/detection-rules.md 1.6 and D20: partial payments of an MPT, checks, and deleted accounts. */
import {
  alice,
  balance,
  bob,
  deleted,
  event,
  hashNamed,
  id,
  issuance,
  issuer,
  modified,
  mpt,
  usd,
  vector
} from "./Build.ts"
import { beforeMptFix, cash, cashed, check, holding, issued, mptFix, pay } from "./Delivered.ts"

export const deliveredElse = [
  vector({
    name: "mpt_partial_before_fix",
    rule: "D20",
    about:
      "Before fixMPTDeliveredAmount the API repeats the maximum of a partial payment of an MPT: the nodes tell the amount",
    network: "mainnet",
    header: beforeMptFix,
    tx: pay({ Amount: mpt("100000") }),
    nodes: [holding("1000", "1994")],
    events: [issued(mpt("994"))]
  }),
  vector({
    name: "mpt_partial_first_holding",
    rule: "D20",
    about: "A missing former MPTAmount is 0",
    network: "mainnet",
    header: beforeMptFix,
    tx: pay({ Amount: mpt("100000") }),
    nodes: [
      modified(
        "MPToken",
        id(5),
        { Account: bob, MPTokenIssuanceID: issuance, MPTAmount: "994" },
        {
          PreviousTxnID: id(1)
        }
      )
    ],
    events: [issued(mpt("994"))]
  }),
  vector({
    name: "mpt_partial_to_issuer",
    rule: "D20",
    about: "A partial payment of an MPT to its issuer: the outstanding amount fell",
    network: "mainnet",
    header: beforeMptFix,
    tx: pay({ Destination: issuer, Amount: mpt("100") }),
    nodes: [
      modified(
        "MPTokenIssuance",
        id(6),
        { Issuer: issuer, Sequence: 42, OutstandingAmount: "60" },
        { OutstandingAmount: "95" }
      )
    ],
    events: [event("payment.issued", { sender: alice, receiver: issuer, amount: mpt("35") }, [alice, issuer])]
  }),
  vector({
    name: "mpt_partial_not_derivable",
    rule: "D20",
    about: "A partial payment of an MPT before the fix without a node of the receiver: the event is withheld",
    network: "mainnet",
    header: beforeMptFix,
    tx: pay({ Amount: mpt("100") }),
    alerts: [["delivered_amount_unknown", "payment.issued"]]
  }),
  vector({
    name: "mpt_partial_since_fix",
    rule: "D20",
    about:
      "From ledger 101,852,417 an absent DeliveredAmount means in full: the receiver's own offer may have paid a part",
    network: "mainnet",
    header: mptFix,
    tx: pay({ Amount: mpt("100000") }),
    nodes: [holding("1000", "1994")],
    events: [issued(mpt("100000"))]
  }),
  vector({
    name: "mpt_partial_doubtful",
    rule: "D20",
    about: "On a network whose fix is at an unknown ledger: a smaller gain is taken, and an alert stored",
    header: mptFix,
    tx: pay({ Amount: mpt("100000") }),
    nodes: [holding("1000", "1994")],
    events: [issued(mpt("994"))],
    alerts: [["delivered_amount_doubtful", "payment.issued"]]
  }),
  vector({
    name: "mpt_partial_equal",
    rule: "D20",
    about: "On such a network a gain equal to the maximum decides nothing: no alert",
    header: mptFix,
    tx: pay({ Amount: mpt("994") }),
    nodes: [holding("1000", "1994")],
    events: [issued(mpt("994"))]
  }),
  vector({
    name: "mpt_partial_unknown",
    rule: "D20",
    about: "On such a network a gain that cannot be derived means the maximum",
    header: mptFix,
    tx: pay({ Amount: mpt("994") }),
    events: [issued(mpt("994"))]
  }),
  vector({
    name: "mpt_partial_recorded",
    rule: "D20",
    about: "A recorded DeliveredAmount always counts first",
    network: "mainnet",
    header: beforeMptFix,
    tx: pay({ Amount: mpt("100000") }),
    meta: { DeliveredAmount: mpt("17") },
    nodes: [holding("0", "17")],
    events: [issued(mpt("17"))]
  }),
  vector({
    name: "check_delivermin",
    rule: "1.6",
    about: "A check cashed for at least 10 delivered 37",
    tx: cash({ DeliverMin: "10" }),
    meta: { DeliveredAmount: "37" },
    nodes: [deleted("Check", id(1), check)],
    events: [cashed("37")]
  }),
  vector({
    name: "check_tokens_recorded",
    rule: "1.6",
    about: "A check of tokens names what it delivered in its metadata",
    tx: cash({ Amount: usd("10") }),
    meta: { DeliveredAmount: usd("10") },
    nodes: [deleted("Check", id(1), { ...check, SendMax: usd("12") })],
    events: [cashed(usd("10"), usd("12"))]
  }),
  vector({
    name: "step5_check",
    rule: "1.6",
    about: "An old check for at least 50: the casher's balance and its fee tell the amount",
    header: { ledger_index: 40_000_000, close_time: 580_000_000, parent_close_time: 579_999_997 },
    tx: cash({ DeliverMin: "50" }),
    nodes: [deleted("Check", id(1), check), balance(bob, "100", "190")],
    events: [cashed("100")]
  }),
  vector({
    name: "step5_check_not_derivable",
    rule: "1.6",
    about: "The same without a node of the casher: check.cashed is withheld",
    header: { ledger_index: 40_000_000, close_time: 580_000_000, parent_close_time: 579_999_997 },
    tx: cash({ DeliverMin: "50" }),
    nodes: [deleted("Check", id(1), check)],
    alerts: [["delivered_amount_unknown", "check.cashed"]]
  }),
  vector({
    name: "account_delete_recorded",
    rule: "1.6",
    about: "DeliveredAmount of an AccountDelete",
    tx: { TransactionType: "AccountDelete", Destination: bob, DestinationTag: 5, Fee: "2000000" },
    meta: { DeliveredAmount: "18000000" },
    nodes: [
      deleted(
        "AccountRoot",
        hashNamed(alice),
        { Account: alice, Balance: "0", Sequence: 9 },
        {
          Balance: "20000000"
        }
      )
    ],
    events: [
      event(
        "account.deleted",
        {
          account: alice,
          destination: bob,
          destination_tag: 5,
          delivered_amount: "18000000",
          tx_type: "AccountDelete"
        },
        [alice, bob]
      )
    ]
  }),
  vector({
    name: "account_delete_derived",
    rule: "1.6",
    about: "Without DeliveredAmount the destination's balance tells the amount",
    tx: { TransactionType: "AccountDelete", Destination: bob, Fee: "2000000" },
    nodes: [
      deleted(
        "AccountRoot",
        hashNamed(alice),
        { Account: alice, Balance: "0", Sequence: 9 },
        {
          Balance: "20000000"
        }
      ),
      balance(bob, "5", "18000005")
    ],
    events: [
      event(
        "account.deleted",
        { account: alice, destination: bob, delivered_amount: "18000000", tx_type: "AccountDelete" },
        [alice, bob]
      )
    ]
  }),
  vector({
    name: "account_delete_unknown",
    rule: "1.6",
    about: "Without any of them the event is emitted without the amount, and an alert beside it",
    tx: { TransactionType: "AccountDelete", Destination: bob, Fee: "2000000" },
    nodes: [
      deleted(
        "AccountRoot",
        hashNamed(alice),
        { Account: alice, Balance: "0", Sequence: 9 },
        {
          Balance: "20000000"
        }
      )
    ],
    events: [
      event("account.deleted", { account: alice, destination: bob, tx_type: "AccountDelete" }, [alice, bob])
    ],
    alerts: [["account_delete_amount_unknown", "account.deleted"]]
  })
]
