/** `ledger detect --network`: a partial payment of an MPT is read by the rules of that network. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { alice, bob } from "../../spine/detect/support.ts"
import { runCommand } from "../../support/program/command.ts"

const mpt = (value: string) => ({ mpt_issuance_id: "0000000A".padEnd(48, "C"), value })
const gained = {
  LedgerEntryType: "MPToken",
  LedgerIndex: "1".padStart(64, "0"),
  FinalFields: { Account: bob, MPTokenIssuanceID: mpt("").mpt_issuance_id, MPTAmount: "60" }
}
const recorded = JSON.stringify({
  hash: "AB".repeat(32),
  ledger_index: 101_852_417,
  tx_json: {
    TransactionType: "Payment",
    Account: alice,
    Destination: bob,
    DeliverMax: mpt("100"),
    Flags: 0x2_0000
  },
  meta: {
    TransactionIndex: 0,
    TransactionResult: "tesSUCCESS",
    AffectedNodes: [{ ModifiedNode: gained }]
  }
})

describe("ledger detect", () => {
  it.live("asks the nodes if the network is unknown, and says so", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* runCommand(["ledger", "detect", "-"], {
        environment: {},
        input: recorded
      })
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(JSON.parse(stdout).payload.amount, mpt("60"))
      assert.match(stderr, /\(delivered_amount_doubtful\)\n$/)
    })
  )

  it.live("--network mainnet gives what ingest finds there", () =>
    Effect.gen(function* () {
      const args = ["ledger", "detect", "--network", "mainnet", "-"]
      const { code, stderr, stdout } = yield* runCommand(args, { environment: {}, input: recorded })
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.deepStrictEqual(JSON.parse(stdout).payload.amount, mpt("100"))
    })
  )
})
