/** Vectors of docs/detection-rules.md 6: memos without a byte, the order of changes, and MPTs that escrows hold. */
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"
import { changes, lineChanged, memo, nothing, paid, pay, usdOf } from "./Booking.ts"
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
  issuance,
  issuer,
  modified,
  mpt,
  usd,
  vector
} from "./Build.ts"
import { json } from "./General.ts"
import { described, LOW_RESERVE, line } from "./Lines.ts"

const units = { mpt_issuance_id: issuance }
const holding = (fields: JsonObject, previous: JsonObject, Flags = 0) =>
  modified("MPToken", id(1), { Account: bob, MPTokenIssuanceID: issuance, Flags, ...fields }, previous)
const paidUnits = (beside: JsonObject) => paid(beside, { amount: mpt("5") })
const ofNewLine = changes([bob, usdOf(issuer), "3"], [issuer, usdOf(bob), "-3"])
const payUnits = pay({ Amount: mpt("5") })

/** bob's MPToken, of whose fields only LockedAmount changed, and his escrow to this destination. */
const unlocked = (Destination: string) => [
  holding({ MPTAmount: "5" }, { LockedAmount: "5" }),
  deleted("Escrow", id(2), { Account: bob, Destination, Amount: mpt("5") })
]
const escrow = (destination: string): JsonObject => ({
  escrow_id: id(2),
  owner: bob,
  destination,
  amount: mpt("5"),
  sequence: 3
})
const ending = (TransactionType: string) => ({
  TransactionType,
  Account: carol,
  Owner: bob,
  OfferSequence: 3
})

export const bookingElse = [
  vector({
    name: "memos_without_a_byte",
    rule: "6.1",
    booking: true,
    about: "A memo without a byte is left out",
    tx: pay({ Memos: [memo({ MemoData: "" }), memo({ MemoType: "01", MemoData: "" })] }),
    events: [paid({ memos: [{ type: "01" }], ...nothing })]
  }),
  vector({
    name: "memos_of_1024_bytes",
    rule: "6.1",
    booking: true,
    about: "1,024 bytes are whole; after the first memo that exceeds them, none follows, however small",
    several: [
      { tx: pay({ Memos: [memo({ MemoData: "AB".repeat(1_000) }), memo({ MemoFormat: "AB".repeat(24) })] }) },
      {
        tx: pay({
          Memos: [
            memo({ MemoData: "AB".repeat(1_000) }),
            memo({ MemoFormat: "AB".repeat(25) }),
            memo({ MemoData: "01" })
          ],
          Sequence: 8
        })
      }
    ],
    events: [
      paid({ memos: [{ data: "AB".repeat(1_000) }, { format: "AB".repeat(24) }], ...nothing }),
      { ...paid({ memos: [{ data: "AB".repeat(1_000) }], memos_truncated: true, ...nothing }), of: 1 }
    ]
  }),
  vector({
    name: "memos_unreadable",
    rule: "6.1",
    booking: true,
    about: "One of the memos is no hex: no memos, and no alert",
    tx: pay({ Memos: [memo({ MemoData: "01" }), memo({ MemoData: "text" })] }),
    only: json,
    events: [paid(nothing)]
  }),
  vector({
    name: "changes_order",
    rule: "6.2",
    booking: true,
    about: "XRP first, then tokens by currency and issuer, then MPTs",
    tx: pay(),
    nodes: [
      created("MPToken", id(1), { Account: bob, MPTokenIssuanceID: issuance, MPTAmount: "4" }),
      lineChanged(2, bob, issuer, "0", "1"),
      lineChanged(3, bob, carol, "0", "2"),
      modified("RippleState", id(4), line({ low: bob, high: issuer, currency: "EUR", balance: "3" }), {
        Balance: line({ low: bob, high: issuer, currency: "EUR" }).Balance
      }),
      balance(bob, "1", "6")
    ],
    events: [
      paid(
        changes(
          [bob, "XRP", "5"],
          [bob, { currency: "EUR", issuer: eur("0").issuer }, "3"],
          ...[carol, issuer]
            .toSorted()
            .map((of): readonly [string, Json, string] => [bob, usdOf(of), of === carol ? "2" : "1"]),
          [bob, units, "4"]
        )
      )
    ]
  }),
  vector({
    name: "changes_none",
    rule: "6.2",
    booking: true,
    about: "What has not changed, and what is the same number in another form, is left out",
    tx: pay(),
    nodes: [
      modified("AccountRoot", hashNamed(alice), { Account: alice, Balance: "5" }, { Sequence: 6 }),
      lineChanged(2, bob, issuer, "2", "2.0")
    ],
    events: [paid(nothing)]
  }),
  vector({
    name: "changes_of_new_line",
    rule: "6.2",
    booking: true,
    about: "A new line counts from 0: its holder gained what is on it, and its issuer owes it",
    tx: pay({ Account: issuer, Amount: usd("3") }),
    nodes: [
      created("RippleState", id(1), line({ low: bob, high: issuer, balance: "3", flags: LOW_RESERVE }))
    ],
    events: [
      event(
        "trustline.created",
        described({
          trustline_id: id(1),
          account: bob,
          balance: "3",
          tx_type: "Payment",
          auto_created: true
        }),
        [bob, issuer],
        0,
        ofNewLine
      ),
      paid(ofNewLine, { amount: usd("3"), sender: issuer }, [bob, issuer])
    ]
  }),
  vector({
    name: "changes_of_deleted_account",
    rule: "6.2",
    booking: true,
    about: "A deleted account has lost its balance",
    tx: { TransactionType: "AccountDelete", Destination: bob, Fee: "10" },
    meta: { DeliveredAmount: "40" },
    nodes: [
      deleted("AccountRoot", hashNamed(alice), { Account: alice, Balance: "0" }, { Balance: "50" }),
      balance(bob, "1", "41")
    ],
    events: [
      event(
        "account.deleted",
        { account: alice, destination: bob, delivered_amount: "40", tx_type: "AccountDelete" },
        [alice, bob],
        0,
        changes([alice, "XRP", "-50"], [bob, "XRP", "40"])
      )
    ]
  }),
  vector({
    name: "changes_mpt_former",
    rule: "6.2",
    booking: true,
    about: "Units before and after, the last units, and a first number, which is not in Previous",
    several: [
      { tx: payUnits, nodes: [holding({ MPTAmount: "12" }, { MPTAmount: "7" })] },
      { tx: { ...payUnits, Sequence: 8 }, nodes: [holding({}, { MPTAmount: "5" })] },
      { tx: { ...payUnits, Sequence: 9 }, nodes: [holding({ MPTAmount: "5" }, {})] },
      { tx: { ...payUnits, Sequence: 10 }, nodes: [holding({ MPTAmount: "5" }, { Flags: 0 }, 1)] }
    ],
    events: [
      paidUnits(changes([bob, units, "5"])),
      { ...paidUnits(changes([bob, units, "-5"])), of: 1 },
      { ...paidUnits(changes([bob, units, "5"])), of: 2 },
      { ...paidUnits(nothing), of: 3 }
    ]
  }),
  vector({
    name: "changes_mpt_unknown",
    rule: "6.2",
    booking: true,
    about: "The metadata do not tell the former number of units: no changes are given",
    tx: payUnits,
    nodes: [holding({ MPTAmount: "5" }, { Novelty: 1 })],
    only: json,
    events: [paidUnits({})]
  }),
  vector({
    name: "changes_mpt_cancelled",
    rule: "6.2",
    booking: true,
    about: "A cancelled escrow gives its units back",
    tx: ending("EscrowCancel"),
    nodes: unlocked(alice),
    events: [
      event(
        "escrow.cancelled",
        { ...escrow(alice), cancelled_by: carol },
        [alice, bob, carol],
        0,
        changes([bob, units, "5"])
      )
    ]
  }),
  vector({
    name: "changes_mpt_finished",
    rule: "6.2",
    booking: true,
    about: "A finished escrow had left its owner's units before: nothing changes now",
    tx: ending("EscrowFinish"),
    nodes: unlocked(alice),
    events: [
      event("escrow.finished", { ...escrow(alice), finished_by: carol }, [alice, bob, carol], 0, nothing)
    ]
  }),
  vector({
    name: "changes_mpt_finished_to_owner",
    rule: "6.2",
    booking: true,
    about: "An escrow to oneself gives its units back when it is finished",
    tx: ending("EscrowFinish"),
    nodes: unlocked(bob),
    events: [
      event(
        "escrow.finished",
        { ...escrow(bob), finished_by: carol, delivered_amount: mpt("5") },
        [bob, carol],
        0,
        changes([bob, units, "5"])
      )
    ]
  })
]
