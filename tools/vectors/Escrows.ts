/** Vectors of docs/detection-rules.md 2.7 and 2.8: escrows and checks. */
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import {
  alice,
  balance,
  bob,
  carol,
  created,
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
import { described, LOW_RESERVE, line } from "./Lines.ts"

const escrow = (fields: object = {}): JsonObject => ({
  Account: alice,
  Destination: bob,
  Amount: "5000",
  ...fields
})
const escrowed = { escrow_id: id(1), owner: alice, destination: bob, amount: "5000", sequence: 7 }
const finish = (tx: object = {}) => ({
  TransactionType: "EscrowFinish",
  Account: carol,
  Owner: alice,
  OfferSequence: 4,
  ...tx
})
const finished = (fields: JsonObject = {}, accounts = [alice, bob, carol]) =>
  event(
    "escrow.finished",
    { ...escrowed, sequence: 4, delivered_amount: "5000", finished_by: carol, ...fields },
    accounts
  )
const all = {
  Condition: "A0258020AB",
  FinishAfter: 900_000_000,
  CancelAfter: 900_000_001,
  DestinationTag: 0,
  SourceTag: 8
}
const allDescribed = {
  destination_tag: 0,
  source_tag: 8,
  condition: "A0258020AB",
  finish_after: "2028-07-08T16:00:00Z",
  cancel_after: "2028-07-08T16:00:01Z"
}

export const escrows = [
  vector({
    name: "escrow_created",
    rule: "2.7",
    about: "An escrow with all optional fields",
    tx: { TransactionType: "EscrowCreate", Destination: bob, Amount: "5000" },
    nodes: [created("Escrow", id(1), escrow(all))],
    events: [event("escrow.created", { ...escrowed, ...allDescribed }, [alice, bob])]
  }),
  vector({
    name: "escrow_created_with_ticket",
    rule: "1.8",
    about: "sequence is the ticket's number; owner and destination may be equal",
    tx: {
      TransactionType: "EscrowCreate",
      Sequence: 0,
      TicketSequence: 77,
      Destination: alice,
      Amount: "5000"
    },
    nodes: [created("Escrow", id(1), escrow({ Destination: alice }))],
    events: [event("escrow.created", { ...escrowed, destination: alice, sequence: 77 }, [alice])]
  }),
  vector({
    name: "escrow_finished_by_stranger",
    rule: "2.7",
    about: "Anybody may finish; sequence is the transaction's OfferSequence, and no payment is emitted",
    tx: finish({ Condition: "A0258020AB", Fulfillment: "A0228020CD" }),
    nodes: [deleted("Escrow", id(1), escrow(all)), balance(bob, "1", "5001")],
    events: [finished({ ...allDescribed, fulfillment: "A0228020CD" })]
  }),
  vector({
    name: "escrow_finished_xrp",
    rule: "2.7",
    about: "Of XRP the destination gets the whole amount, also where it paid the fee",
    tx: finish({ Account: bob }),
    nodes: [deleted("Escrow", id(1), escrow()), balance(bob, "100", "5090")],
    events: [finished({ finished_by: bob }, [alice, bob])]
  }),
  vector({
    name: "escrow_finished_token",
    rule: "2.7",
    about: "A transfer rate is taken from a token: amount is the gross, delivered_amount what arrived",
    tx: finish(),
    nodes: [
      deleted("Escrow", id(1), escrow({ Amount: usd("100"), TransferRate: 1_020_000_000 })),
      modified("RippleState", id(2), line({ low: bob, high: issuer, balance: "99.5" }), {
        Balance: line({ low: bob, high: issuer, balance: "1.5" }).Balance
      })
    ],
    events: [finished({ amount: usd("100"), delivered_amount: usd("98") })]
  }),
  vector({
    name: "escrow_finished_token_new_line",
    rule: "2.7",
    about: "The destination finishes and gets a new line with the tokens",
    tx: finish({ Account: bob }),
    nodes: [
      deleted("Escrow", id(1), escrow({ Amount: usd("100") })),
      created("RippleState", id(2), line({ low: bob, high: issuer, balance: "100", flags: LOW_RESERVE }))
    ],
    events: [
      event(
        "trustline.created",
        described({
          trustline_id: id(2),
          account: bob,
          balance: "100",
          tx_type: "EscrowFinish",
          auto_created: true
        }),
        [bob, issuer]
      ),
      finished({ amount: usd("100"), delivered_amount: usd("100"), finished_by: bob }, [alice, bob])
    ]
  }),
  vector({
    name: "escrow_finished_mpt",
    rule: "2.7",
    about: "An MPT: the change of the destination's MPTAmount",
    tx: finish(),
    nodes: [
      deleted("Escrow", id(1), escrow({ Amount: mpt("100"), TransferRate: 1_020_000_000 })),
      modified(
        "MPToken",
        id(2),
        { Account: bob, MPTokenIssuanceID: issuance, MPTAmount: "108" },
        {
          MPTAmount: "10"
        }
      )
    ],
    events: [finished({ amount: mpt("100"), delivered_amount: mpt("98") })]
  }),
  vector({
    name: "escrow_finished_to_issuer",
    rule: "2.7",
    about: "An MPT to its issuer: the outstanding amount fell",
    tx: finish(),
    nodes: [
      deleted("Escrow", id(1), escrow({ Destination: issuer, Amount: mpt("100") })),
      modified(
        "MPTokenIssuance",
        id(2),
        { Issuer: issuer, Sequence: 42, OutstandingAmount: "900" },
        {
          OutstandingAmount: "1000"
        }
      )
    ],
    events: [
      finished({ destination: issuer, amount: mpt("100"), delivered_amount: mpt("100") }, [
        alice,
        issuer,
        carol
      ])
    ]
  }),
  vector({
    name: "escrow_finished_not_derivable",
    rule: "2.7",
    about: "No node of the destination: delivered_amount is left out, without an alert",
    tx: finish(),
    nodes: [deleted("Escrow", id(1), escrow({ Amount: usd("100") }))],
    events: [
      event("escrow.finished", { ...escrowed, amount: usd("100"), sequence: 4, finished_by: carol }, [
        alice,
        bob,
        carol
      ])
    ]
  }),
  vector({
    name: "escrow_cancelled",
    rule: "2.7",
    about: "Anybody may cancel after CancelAfter",
    tx: { TransactionType: "EscrowCancel", Account: carol, Owner: alice, OfferSequence: 4 },
    nodes: [deleted("Escrow", id(1), escrow())],
    events: [
      event("escrow.cancelled", { ...escrowed, sequence: 4, cancelled_by: carol }, [alice, bob, carol])
    ]
  }),
  vector({
    name: "escrow_finish_failed",
    rule: "2.7",
    about: "A failed EscrowFinish leaves the escrow",
    tx: finish(),
    meta: { TransactionResult: "tecCRYPTOCONDITION_ERROR" },
    nodes: [balance(carol, "100", "90")]
  }),
  vector({
    name: "escrow_long_fulfillment",
    rule: "1.4",
    about: "More than 1,024 hex digits of a fulfillment or a condition: the event is withheld",
    several: [
      { tx: finish({ Fulfillment: "AB".repeat(513) }), nodes: [deleted("Escrow", id(1), escrow())] },
      {
        tx: finish({ Fulfillment: "AB", Sequence: 8 }),
        nodes: [deleted("Escrow", id(1), escrow({ Condition: "AB".repeat(513) }))]
      },
      {
        tx: finish({ Fulfillment: "AB".repeat(512), Sequence: 9 }),
        nodes: [deleted("Escrow", id(1), escrow())]
      }
    ],
    events: [{ ...finished({ fulfillment: "AB".repeat(512) }), of: 2 }],
    alerts: [0, 1].map((of) => ["field_unreadable", "escrow.finished", of])
  }),
  vector({
    name: "escrow_finished_no_gain",
    rule: "2.7",
    about: "A line that gained nothing shows no delivered_amount, and no alert is stored",
    several: ["5", "4"].map((balance, n) => ({
      tx: finish({ Sequence: 7 + n }),
      nodes: [
        deleted("Escrow", id(1), escrow({ Amount: usd("100") })),
        modified("RippleState", id(2), line({ low: bob, high: issuer, balance }), {
          Balance: line({ low: bob, high: issuer, balance: "5" }).Balance
        })
      ]
    })),
    events: [0, 1].map((of) => {
      const { payload, ...rest } = finished({ amount: usd("100") })
      const { delivered_amount: _, ...others } = payload
      return { ...rest, payload: others as JsonObject, of }
    })
  }),
  vector({
    name: "escrow_gone",
    rule: "2.7",
    about: "An escrow disappears under another type (made up): no event, an alert",
    tx: { TransactionType: "Payment", Destination: bob, Amount: "1" },
    nodes: [deleted("Escrow", id(1), escrow())],
    events: [event("payment.xrp", { sender: alice, receiver: bob, amount: "1" }, [alice, bob])],
    alerts: [["unexpected_deletion", null]]
  })
]

const check = (fields: object = {}): JsonObject => ({
  Account: alice,
  Destination: bob,
  SendMax: "1000",
  Sequence: 4,
  ...fields
})
const checked = { check_id: id(1), account: alice, destination: bob, send_max: "1000", sequence: 4 }
const cancel = (Account: string) => ({ TransactionType: "CheckCancel", Account, CheckID: id(1) })
const cancelled = (by: string, reason: string) =>
  event("check.cancelled", { ...checked, cancelled_by: by, reason }, [alice, bob, by])

export const checks = [
  vector({
    name: "check_created",
    rule: "2.8",
    about: "A check with all optional fields",
    tx: { TransactionType: "CheckCreate", Destination: bob, SendMax: usd("12") },
    nodes: [
      created(
        "Check",
        id(1),
        check({
          SendMax: usd("12"),
          DestinationTag: 0,
          SourceTag: 9,
          InvoiceID: hashNamed("invoice"),
          Expiration: 900_000_000
        })
      )
    ],
    events: [
      event(
        "check.created",
        {
          ...checked,
          send_max: usd("12"),
          destination_tag: 0,
          source_tag: 9,
          invoice_id: hashNamed("invoice"),
          expiration: "2028-07-08T16:00:00Z"
        },
        [alice, bob]
      )
    ]
  }),
  vector({
    name: "check_cashed",
    rule: "2.8",
    about: "A check of XRP: no payment is emitted",
    tx: { TransactionType: "CheckCash", Account: bob, CheckID: id(1), Amount: "900" },
    nodes: [deleted("Check", id(1), check()), balance(bob, "1", "891"), balance(alice, "1000", "100")],
    events: [event("check.cashed", { ...checked, amount: "900" }, [alice, bob])]
  }),
  vector({
    name: "check_cashed_new_line",
    rule: "2.8",
    about: "A check of tokens gives its receiver a line",
    tx: { TransactionType: "CheckCash", Account: bob, CheckID: id(1), Amount: usd("3") },
    meta: { DeliveredAmount: usd("3") },
    nodes: [
      deleted("Check", id(1), check({ SendMax: usd("5") })),
      created("RippleState", id(2), line({ low: bob, high: issuer, balance: "3", flags: LOW_RESERVE }))
    ],
    events: [
      event(
        "trustline.created",
        described({
          trustline_id: id(2),
          account: bob,
          balance: "3",
          tx_type: "CheckCash",
          auto_created: true
        }),
        [bob, issuer]
      ),
      event("check.cashed", { ...checked, send_max: usd("5"), amount: usd("3") }, [alice, bob])
    ]
  }),
  vector({
    name: "check_cancelled_by_writer",
    rule: "2.8",
    about: "The writer cancels",
    tx: cancel(alice),
    nodes: [deleted("Check", id(1), check())],
    events: [cancelled(alice, "cancelled")]
  }),
  vector({
    name: "check_cancelled_by_receiver",
    rule: "2.8",
    about: "The destination declines",
    tx: cancel(bob),
    nodes: [deleted("Check", id(1), check())],
    events: [cancelled(bob, "cancelled")]
  }),
  vector({
    name: "check_cancelled_by_stranger",
    rule: "2.8",
    about: "A stranger may cancel only an expired check, so no clock is needed",
    tx: cancel(carol),
    nodes: [deleted("Check", id(1), check())],
    events: [cancelled(carol, "expired")]
  }),
  vector({
    name: "check_cash_expired",
    rule: "2.8",
    about: "Cashing an expired check fails and leaves it",
    tx: { TransactionType: "CheckCash", Account: bob, CheckID: id(1), Amount: "900" },
    meta: { TransactionResult: "tecEXPIRED" },
    nodes: [balance(bob, "100", "90")]
  }),
  vector({
    name: "check_gone",
    rule: "2.8",
    about: "A check disappears under another type (made up): no event, an alert",
    tx: { TransactionType: "Payment", Destination: bob, Amount: "1" },
    nodes: [deleted("Check", id(1), check())],
    events: [event("payment.xrp", { sender: alice, receiver: bob, amount: "1" }, [alice, bob])],
    alerts: [["unexpected_deletion", null]]
  }),
  vector({
    name: "check_gone_failed_cancel",
    rule: "2.8",
    about: "A check disappears under a failed CheckCancel (made up): no event, an alert",
    tx: cancel(alice),
    meta: { TransactionResult: "tecNO_PERMISSION" },
    nodes: [deleted("Check", id(1), check())],
    alerts: [["unexpected_deletion", null]]
  })
]
