/** Writes testnet ledgers to Kafka, as ingest commits them, for tests with other Kafka clients. */
import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"
import { type CheckedLedger, ledgerBatch } from "../../../src/spine/ledger/ingest/LedgerRecords.ts"
import * as KafkaLog from "../../../src/spine/log/kafka/KafkaLog.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { addresses, eventOf } from "../deliver/events.ts"

export const EVENTS_EACH = 3

const hash = (ledgerIndex: number) => ledgerIndex.toString(16).toUpperCase().padStart(64, "0")

const batchOf = (ledgerIndex: number) => {
  const ledger: CheckedLedger = {
    ledger_index: ledgerIndex,
    ledger_hash: hash(ledgerIndex),
    parent_hash: hash(ledgerIndex - 1),
    close_time: 800_000_000,
    parent_close_time: 799_999_996,
    transactions: []
  }
  // Consumers validate the events, so their payloads are complete.
  const events = Array.from({ length: EVENTS_EACH }, (_, position) => {
    const event = eventOf({ network: "testnet", ledgerIndex, position })
    return { ...event, payload: { ...event.payload, receiver: addresses[1] } }
  })
  return ledgerBatch(
    { network: "testnet", simulated: false },
    [{ ledger, detection: { events, alerts: [] } }],
    undefined,
    ledgerIndex
  ).transaction
}

/** Before it commits each ledger, it aborts a transaction with the same events. */
export const writeLedgers = Effect.fnUntraced(function* (
  kafka: KafkaSettings,
  ledgers: ReadonlyArray<number>,
  schemaIds?: ReadonlyMap<string, number>
) {
  const log = Context.get(yield* Layer.build(KafkaLog.layer(kafka, schemaIds)), Log)
  for (const ledgerIndex of ledgers) {
    const transaction = batchOf(ledgerIndex)
    const aborted = log.transaction({
      ...transaction,
      appendThen: () => {
        throw new Error("the process dies before the marker")
      }
    })
    assert.isTrue(Exit.isFailure(yield* Effect.exit(aborted)))
    yield* log.transaction(transaction)
  }
})
