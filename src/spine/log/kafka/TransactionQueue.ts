/**
 * Combines the transactions of concurrent callers into one Kafka transaction, because most of its cost is independent
 * of the number of records. Each of a few producers writes the transactions that wait when it is free. A caller gets
 * its offsets when Kafka has committed. If a caller is interrupted, its transaction is withdrawn, or, if it has been
 * started, the caller waits for its end.
 */

import { Deferred, Effect, Exit, Queue } from "effect"
import { Limits } from "../../config/Limits.ts"
import { logLimits } from "../Limits.ts"
import type { KafkaFault } from "./Channel.ts"
import { bytesOf, type KafkaTransaction, type Producer } from "./Producer.ts"
import { splitByLimits } from "./SplitByLimits.ts"

/** Bytes of one transaction: what two reads of the outbox bring. */
const TRANSACTION_BYTES = 2 * Limits.recordsBytes

/** Transactions that are joined into one, which takes about 10 ms. */
const JOINED = 64

interface Submitted {
  state: "waiting" | "started" | "withdrawn"
  readonly transaction: KafkaTransaction
  readonly done: Deferred.Deferred<ReadonlyArray<number>, KafkaFault>
}

const LIMITS = [Limits.transactionRecords, TRANSACTION_BYTES]

const sizesOf = ({ transaction: { append } }: Submitted) => [
  append.length,
  append.reduce((sum, record) => sum + bytesOf(record), 0)
]

const commitTogether = (producer: Producer, group: ReadonlyArray<Submitted>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(producer.run(group.map(({ transaction }) => transaction)))
    if (Exit.isSuccess(exit)) {
      for (const [i, { done }] of group.entries()) yield* Deferred.succeed(done, exit.value[i]!)
    } else if (group.length > 1 && Exit.hasDies(exit)) {
      // A bug of one caller must not fail the others. Nothing was committed, so each is written alone.
      for (const one of group) yield* commitTogether(producer, [one])
    } else {
      for (const { done } of group) yield* Deferred.failCause(done, exit.cause)
    }
  })

export const makeTransactionQueue = Effect.fnUntraced(function* (producers: ReadonlyArray<Producer>) {
  const queue = yield* Queue.bounded<Submitted>(logLimits.logQueuedTransactions)
  for (const producer of producers) {
    yield* Effect.gen(function* () {
      const taken = yield* Queue.takeBetween(queue, 1, JOINED)
      const wanted = taken.filter(({ state }) => state === "waiting")
      for (const one of wanted) one.state = "started"
      for (const group of splitByLimits(wanted, LIMITS, sizesOf)) yield* commitTogether(producer, group)
    }).pipe(Effect.forever, Effect.forkScoped)
  }

  /** Returns the offsets of the transaction's `append`. */
  return Effect.fnUntraced(function* (transaction: KafkaTransaction) {
    const done = yield* Deferred.make<ReadonlyArray<number>, KafkaFault>()
    const submitted: Submitted = { state: "waiting", transaction, done }
    yield* Queue.offer(queue, submitted)
    return yield* Effect.onInterrupt(Deferred.await(done), () =>
      Effect.suspend(() => {
        if (submitted.state === "started") return Effect.exit(Deferred.await(done))
        submitted.state = "withdrawn"
        return Effect.void
      })
    )
  })
})
