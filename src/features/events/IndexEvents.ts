/**
 * Stage 2: events → rows of the event index, for GET /v1/events. Reads the networks' events and those of their history,
 * and with RAW_TRANSACTIONS the transactions (Transactions.ts).
 * Each batch is written before its offsets are committed; after a crash in between the same rows are written again,
 * which changes nothing. A record that is no event, or that PostgreSQL refuses, becomes a dead letter.
 */
import { Clock, Effect } from "effect"
import { StageLimits } from "../../spine/config/StageLimits.ts"
import { historyEventsTopic } from "../../spine/domain/Backfill.ts"
import {
  EVENT_LOG_GROUP,
  eventsTopic,
  type LedgerEvent,
  NOT_AN_EVENT,
  parseLedgerEvent
} from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import { networkOfTransactions, transactionsTopic } from "../../spine/event/TransactionRecord.ts"
import { type AssignedPartition, Log, type LogError, type LogRecord, sourceOf } from "../../spine/log/Log.ts"
import { retryCommit } from "../../spine/log/RetryUntilFenced.ts"
import { retryUntilSuccess } from "../../spine/observe/RetryUntilSuccess.ts"
import { traced } from "../../spine/observe/Tracing.ts"
import { makeDeadLetters } from "../../spine/store/DeadLetters.ts"
import { EventIndex } from "./EventIndex.ts"

interface RecordedEvent {
  readonly record: LogRecord
  readonly event: LedgerEvent
}

const topicsOf = (network: Network): ReadonlyArray<string> => [
  eventsTopic(network),
  historyEventsTopic(network)
]

const described = (record: LogRecord) => ({ source: sourceOf(record), text: record.value ?? "" })

const run = Effect.fnUntraced(function* (partition: AssignedPartition) {
  const { takeBatchRecords } = yield* StageLimits
  const store = yield* EventIndex
  const deadLetters = yield* makeDeadLetters
  while (true) {
    const records = yield* partition.take(takeBatchRecords)
    const events: Array<RecordedEvent> = []
    const unreadable: Array<LogRecord> = []
    for (const record of records) {
      const event = parseLedgerEvent(record.value)
      if (event === undefined || !topicsOf(event.network).includes(record.topic)) unreadable.push(record)
      else events.push({ record, event })
    }
    const write = Clock.currentTimeMillis.pipe(
      Effect.flatMap((nowMs) =>
        deadLetters.write({
          stage: "events",
          records: events,
          describe: ({ record }) => described(record),
          statement: (some) =>
            Effect.as(
              store.insert(
                some.map(({ event }) => event),
                nowMs
              ),
              []
            )
        })
      ),
      Effect.andThen(
        deadLetters.put(
          "events",
          unreadable.map((record) => ({ ...described(record), reason: NOT_AN_EVENT }))
        )
      ),
      retryUntilSuccess("writing the event index"),
      Effect.andThen(retryCommit(partition.commit(records.at(-1)!.offset + 1)))
    )
    yield* traced(write, "write events", () => ({ topic: partition.topic, events: events.length }))
  }
})

/** `transactions`: with RAW_TRANSACTIONS, what handles their topics (Transactions.ts). */
export const events = <R = never>(
  networks: ReadonlyArray<Network>,
  transactions?: (partition: AssignedPartition, network: Network) => Effect.Effect<never, LogError, R>
) =>
  Effect.flatMap(Log, (log) =>
    log.consume(
      {
        group: EVENT_LOG_GROUP,
        topics: [
          ...networks.flatMap(topicsOf),
          ...(transactions === undefined ? [] : networks.map(transactionsTopic))
        ]
      },
      (partition): Effect.Effect<never, LogError, Effect.Services<ReturnType<typeof run>> | R> => {
        const network = networkOfTransactions(partition.topic)
        return network === undefined || transactions === undefined
          ? run(partition)
          : transactions(partition, network)
      }
    )
  )
