/**
 * The only writer of the embedded log. It combines waiting transactions, gives their records offsets, and writes them
 * in one statement. Only then readers see them and the callers get their result. A transaction that throws fails its
 * own caller only. After a failed write it is unknown what landed, so the state in memory is discarded and reloaded. If
 * the tables then lack what they had, the log went back: nothing more is read or written, until all starts anew.
 *
 *   callers ─▶ queue ─▶ give offsets ─▶ write (all or nothing) ─▶ records in memory ─▶ callers
 */

import { Cause, Clock, Deferred, Effect, Exit, Queue, Semaphore } from "effect"
import { Limits } from "../../config/Limits.ts"
import { logLimits } from "../Limits.ts"
import type { LogError, Partition, Position, Transaction } from "../Log.ts"
import { commitKey, partitionKey } from "../PlaceRecords.ts"
import { makeRecordList, makeRecordLists, push, trim, wake } from "../RecordList.ts"
import { type LogWentBack, logWentBack, StartAnew } from "../StartAnew.ts"
import { accept, failed, type Request, writeOf } from "./JoinedWrite.ts"
import type { Tables } from "./Tables.ts"

export const makeWriter = Effect.fnUntraced(function* (tables: Tables) {
  const queue = yield* Queue.bounded<Request>(logLimits.logQueuedTransactions)
  const { lists, listOf } = makeRecordLists()
  const commits = new Map<string, number>()
  /** Writing, reloading the state and applying retention exclude one another. */
  const lock = Semaphore.makeUnsafe(1)
  const unanswered = new Set<Request>()
  let closed = false
  let fence = yield* tables.own
  /** Whether `lists` and `commits` are what the tables contain. */
  let isCurrent = false
  const startAnew = yield* StartAnew
  let wentBack: LogWentBack | undefined

  const goBack = Effect.fnUntraced(function* (found: string) {
    wentBack = logWentBack(found)
    yield* startAnew(wentBack)
    return yield* wentBack
  })

  const load = Effect.gen(function* () {
    fence = yield* tables
      .renew(fence)
      .pipe(
        Effect.catchTag("OwnerUnknown", ({ owner }) =>
          goBack(`its owner is number ${owner}, and this process became number ${fence.owner}`)
        )
      )
    const partitions = yield* tables.loadPartitions
    const found = new Map(
      partitions.map(({ topic, partition, end }) => [partitionKey(topic, partition), end] as const)
    )
    for (const [key, { end }] of lists) {
      const left = found.get(key) ?? 0
      if (left >= end) continue
      return yield* goBack(`${key} ends at ${left}, and this process knows of ${end} records`)
    }
    commits.clear()
    for (const commit of yield* tables.loadCommits)
      commits.set(commitKey(commit.group, commit), commit.offset)
    // The records in memory may lack those of the failed write: clear them, and wake the readers that wait.
    for (const list of lists.values()) Object.assign(list, { size: 0, start: 0, end: 0 }).records.length = 0
    for (const { topic, partition, start, end } of partitions) {
      const key = partitionKey(topic, partition)
      lists.set(key, Object.assign(lists.get(key) ?? makeRecordList(topic), { start, end }))
    }
    for (const list of lists.values()) wake(list)
    isCurrent = true
  })

  const loaded = Effect.suspend(() =>
    wentBack !== undefined ? Effect.fail(wentBack) : isCurrent ? Effect.void : load
  )

  const writeBatch = Effect.fnUntraced(function* (requests: ReadonlyArray<Request>) {
    yield* loaded
    const nowMs = yield* Clock.currentTimeMillis
    const accepted = accept(requests, (partition) => listOf(partition).end, nowMs)
    if (accepted.results.some(([, result]) => Exit.isSuccess(result)))
      yield* tables.write(fence, writeOf(accepted), nowMs)
    for (const [key, { offset }] of accepted.commits) commits.set(key, offset)
    for (const records of accepted.byPartition.values()) {
      const list = listOf(records[0]!)
      push(list, records)
      trim(list, logLimits.partitionRecords, Limits.recordsBytes)
    }
    return accepted.results
  })

  const serve = Effect.fnUntraced(function* (requests: ReadonlyArray<Request>) {
    const exit = yield* Effect.exit(writeBatch(requests))
    if (Exit.isSuccess(exit)) {
      for (const [{ answer }, result] of exit.value) Deferred.doneUnsafe(answer, result)
      return
    }
    isCurrent = false
    // If this fails as well, the next use of the state loads it.
    yield* Effect.ignore(load)
    const cause = Cause.squash(exit.cause)
    for (const request of requests)
      Deferred.doneUnsafe(request.answer, Exit.fail(failed("append", request, cause)))
  })

  const takeBatch = Effect.gen(function* () {
    const requests = [yield* Queue.take(queue)]
    let count = requests[0]!.transaction.append.length
    while (count < logLimits.embeddedLogBatchRecords) {
      const more = yield* Queue.poll(queue)
      if (more._tag === "None") break
      requests.push(more.value)
      count += more.value.transaction.append.length
    }
    return requests
  })

  const submit = (transaction: Transaction): Effect.Effect<ReadonlyArray<Position>, LogError> =>
    Effect.suspend(() => {
      const request: Request = { transaction, answer: Deferred.makeUnsafe() }
      if (closed) return Effect.fail(failed("append", request, new Error("the log is closed")))
      unanswered.add(request)
      return Queue.offer(queue, request).pipe(
        Effect.andThen(Deferred.await(request.answer)),
        Effect.ensuring(Effect.sync(() => unanswered.delete(request)))
      )
    })

  yield* lock.withPermit(load)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      for (const request of unanswered) {
        Deferred.doneUnsafe(
          request.answer,
          Exit.fail(failed("append", request, new Error("the log was closed")))
        )
      }
    })
  )
  // Uninterruptible: a batch that has started is finished. Requests of interrupted callers are left out.
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.flatMap(takeBatch, (requests) =>
        lock
          .withPermit(serve(requests.filter((request) => unanswered.has(request))))
          .pipe(Effect.uninterruptible)
      )
    )
  )

  return {
    submit,
    listOf,
    /** The offset that the group has committed; undefined if there is none. */
    committed: (group: string, partition: Partition) => commits.get(commitKey(group, partition)),
    /** If a write has failed, what was known of the tables must be read again before it is used. */
    loaded: Effect.suspend(() =>
      isCurrent && wentBack === undefined ? Effect.void : lock.withPermit(loaded)
    ),
    /** Runs `retention` while nothing is written, then reads the tables again. */
    applyRetention: <E>(retention: Effect.Effect<void, E>) =>
      Effect.gen(function* () {
        isCurrent = false
        yield* retention
        yield* load
      }).pipe(lock.withPermit, Effect.uninterruptible)
  }
})
