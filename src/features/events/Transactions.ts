/**
 * Records of transactions → rows of the index by hash, for GET /v1/transactions/:hash. The header has the hash, so no
 * record is parsed. Rows are written before the offset is committed; a crash in between writes up to a batch of them
 * twice, which readers expect. A record without a hash becomes a dead letter.
 */
import { Clock, Effect } from "effect"
import { StageLimits } from "../../spine/config/StageLimits.ts"
import { isHash } from "../../spine/event/Hash.ts"
import type { Network } from "../../spine/event/Network.ts"
import { type AssignedPartition, type LogRecord, sourceOf } from "../../spine/log/Log.ts"
import { retryCommit } from "../../spine/log/RetryUntilFenced.ts"
import { retryUntilSuccess } from "../../spine/observe/RetryUntilSuccess.ts"
import { traced } from "../../spine/observe/Tracing.ts"
import { makeDeadLetters } from "../../spine/store/DeadLetters.ts"
import { type IndexedTransaction, TransactionIndex } from "./TransactionIndex.ts"

export const indexTransactions = Effect.fnUntraced(function* (
  partition: AssignedPartition,
  network: Network
) {
  const { takeBatchRecords } = yield* StageLimits
  const index = yield* TransactionIndex
  const deadLetters = yield* makeDeadLetters
  while (true) {
    const records = yield* partition.take(takeBatchRecords)
    const found: Array<IndexedTransaction> = []
    const unreadable: Array<LogRecord> = []
    for (const record of records) {
      const hash = record.headers["transaction-hash"] ?? ""
      if (isHash(hash)) found.push({ network, hash, offset: record.offset, writtenAt: record.timestamp })
      else unreadable.push(record)
    }
    const writing = Clock.currentTimeMillis.pipe(
      Effect.flatMap((nowMs) => index.insert(found, nowMs)),
      Effect.andThen(
        deadLetters.put(
          "events",
          unreadable.map((record) => ({
            source: sourceOf(record),
            text: record.value ?? "",
            reason: "it has no header transaction-hash with a hash"
          }))
        )
      ),
      retryUntilSuccess("writing the index of transactions"),
      Effect.andThen(retryCommit(partition.commit(records.at(-1)!.offset + 1)))
    )
    yield* traced(writing, "index transactions", () => ({
      topic: partition.topic,
      transactions: found.length
    }))
  }
})
