/** Each code of an alert, with a transaction that causes it (docs/detection-rules.md 1.11). */
import { assert, describe, it } from "@effect/vitest"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { type AlertCode, alertCodes } from "../../../src/spine/event/AlertCode.ts"
import type { LedgerTransaction } from "../../../src/spine/event/Ledger.ts"
import {
  accountIdOf,
  alice,
  bob,
  created,
  deleted,
  detect,
  in2013,
  key,
  ledgerOf,
  modified,
  names,
  transaction,
  usd,
  withheld
} from "./support.ts"

const PARTIAL = 0x2_0000
const mpt = (value: string) => ({ mpt_issuance_id: "0000000A".padEnd(48, "C"), value })
const check = { Account: alice, Destination: bob, SendMax: "5", Sequence: 3 }

interface Case {
  readonly transaction: LedgerTransaction
  readonly header?: Parameters<typeof detect>[1]
  /** The events that are emitted. */
  readonly events: ReadonlyArray<string>
  readonly type: string | null
  readonly reason: RegExp
}

const cases: Readonly<Record<Exclude<AlertCode, "schema_violation">, Case>> = {
  delivered_amount_unknown: {
    transaction: transaction({ TransactionType: "Payment", Destination: bob, Amount: "5", Flags: PARTIAL }),
    header: in2013,
    events: [],
    type: "payment.xrp",
    reason: /^The delivered amount is neither in the metadata nor derivable from the nodes\.$/
  },
  delivered_amount_doubtful: {
    transaction: transaction(
      { TransactionType: "Payment", Destination: bob, Amount: mpt("5"), Flags: PARTIAL },
      [
        modified("MPToken", key(1), {
          Account: bob,
          MPTokenIssuanceID: mpt("").mpt_issuance_id,
          MPTAmount: "3"
        })
      ]
    ),
    events: ["payment.issued"],
    type: "payment.issued",
    reason: /^The nodes show less than the maximum, and the metadata do not say what was delivered\.$/
  },
  account_delete_amount_unknown: {
    transaction: transaction({ TransactionType: "AccountDelete", Destination: bob }, [
      deleted("AccountRoot", key(1), { Account: alice })
    ]),
    events: ["account.deleted"],
    type: "account.deleted",
    reason: /^The amount delivered to the destination is unknown and left out\.$/
  },
  filled_amount_negative: {
    transaction: transaction({ TransactionType: "OfferCreate" }, [
      modified(
        "Offer",
        key(1),
        { Account: bob, Sequence: 1, TakerGets: "9", TakerPays: usd("9") },
        { TakerGets: "5" }
      )
    ]),
    events: ["dex.offer_partial"],
    type: "dex.offer_partial",
    reason: /^A trade made Offer 0+1 larger: a filled amount is negative\.$/
  },
  nft_id_unknown: {
    transaction: transaction({ TransactionType: "NFTokenMint", NFTokenTaxon: 0 }),
    events: [],
    type: "nft.minted",
    reason: /^The NFTokenID follows neither from the NFTokenPages nor from the issuer's AccountRoot\.$/
  },
  nft_id_disputed: {
    transaction: transaction({ TransactionType: "NFTokenMint", NFTokenTaxon: 0 }, [
      created("NFTokenPage", accountIdOf("alice").padEnd(64, "F"), {
        NFTokens: [{ NFToken: { NFTokenID: "0".repeat(64) } }]
      })
    ]),
    events: ["nft.minted"],
    type: "nft.minted",
    reason: /^NFTokenID 0+, found in the NFTokenPages, is not the one composed from the transaction\.$/
  },
  accepted_offer_missing: {
    transaction: transaction({ TransactionType: "NFTokenAcceptOffer", NFTokenBuyOffer: key(1) }),
    events: [],
    type: "nft.offer_accepted",
    reason: /^An accepted NFTokenOffer is not among the deleted entries\.$/
  },
  unexpected_deletion: {
    transaction: transaction({ TransactionType: "Warp" }, [deleted("Check", key(1), check)]),
    events: [],
    type: null,
    reason: /^Check 0+1 was deleted by a Warp that neither cashed nor cancelled it\.$/
  },
  field_unreadable: {
    transaction: transaction({ TransactionType: "CheckCreate" }, [
      created("Check", key(1), { ...check, Sequence: "3" })
    ]),
    events: [],
    type: "check.created",
    reason: /^Check 0+1 could not be read: Sequence is not an integer from 0 to 4294967295\.$/
  },
  nodes_unreadable: {
    transaction: transaction({ TransactionType: "Payment", Destination: bob, Amount: "5" }, [null]),
    events: ["payment.xrp"],
    type: null,
    reason: /^1 of the AffectedNodes cannot be read\. The first: it is neither a CreatedNode, /
  },
  transaction_unreadable: {
    transaction: transaction({ TransactionType: "Payment", Account: "nobody" }),
    events: [],
    type: null,
    reason: /^The transaction could not be read: Account is not an address\.$/
  }
}

describe("an alert has the code", () => {
  it.each(Object.entries(cases))("%s", (code, { events, header, reason, transaction, type }) => {
    const found = detect(transaction, header)
    assert.deepStrictEqual(names(found), events)
    assert.lengthOf(found.alerts, 1)
    assert.deepStrictEqual(withheld(found), [[code, type]])
    assert.strictEqual(found.alerts[0]!.tx_hash, transaction.hash)
    assert.match(found.alerts[0]!.reason, reason)
  })

  it("schema_violation", () => {
    const { alerts, events } = detectLedger(
      ledgerOf([
        transaction({ TransactionType: "Payment", Destination: bob, Amount: "5" }, [], {}, "no hash")
      ])
    )
    assert.deepStrictEqual(events, [])
    assert.deepStrictEqual(
      alerts.map(({ code, event_type }) => [code, event_type]),
      [["schema_violation", "payment.xrp"]]
    )
  })

  it("of the closed list, each of which is tested here", () => {
    assert.deepStrictEqual(Object.keys(alertCodes).sort(), [...Object.keys(cases), "schema_violation"].sort())
  })
})
