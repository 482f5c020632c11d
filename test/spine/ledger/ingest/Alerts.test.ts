/** Detection alerts are recorded before their ledger is appended to the log, so a crash in between loses none. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DetectionAlert } from "../../../../src/spine/event/LedgerEvent.ts"
import { ingest } from "../../../../src/spine/ledger/ingest/Ingest.ts"
import { chain, hashOf } from "../../../support/ledger/chain.ts"
import { awaitLedgers, memoryLayer, oneEventEach, takenIndexes } from "../../../support/ledger/ingesting.ts"
import { scriptedSource } from "../../../support/ledger/scriptedSource.ts"

const alert: DetectionAlert = {
  code: "delivered_amount_unknown",
  tx_hash: hashOf("undecided"),
  event_type: "payment.xrp",
  reason: "unknown"
}

describe("detection alerts", () => {
  it.effect("are reported once each, before the ledger is appended, and do not stop the ledger", () =>
    Effect.gen(function* () {
      const source = scriptedSource()
      const told: Array<unknown> = []
      const onAlerts = (ledgerIndex: number, alerts: ReadonlyArray<DetectionAlert>) =>
        Effect.map(takenIndexes, (taken) => {
          assert.notInclude(taken, ledgerIndex)
          told.push([ledgerIndex, alerts])
        })
      source.serve(chain(5, 9))
      yield* source.announce(9)
      const context = yield* Effect.context<Effect.Services<typeof takenIndexes>>()
      yield* ingest({
        network: "mainnet",
        start: 5,
        detect: (ledger) => ({
          ...oneEventEach(ledger),
          alerts: ledger.ledger_index % 3 === 0 ? [alert, alert] : []
        }),
        onAlerts: (ledgerIndex, alerts) =>
          onAlerts(ledgerIndex, alerts).pipe(Effect.provide(context), Effect.orDie)
      }).pipe(Effect.provide(source.layer), Effect.forkScoped)
      yield* awaitLedgers(5)
      assert.deepStrictEqual(yield* takenIndexes, [5, 6, 7, 8, 9])
      assert.deepStrictEqual(told, [
        [6, [alert, alert]],
        [9, [alert, alert]]
      ])
    }).pipe(Effect.provide(memoryLayer()))
  )
})
