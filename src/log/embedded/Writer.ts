/**
 * The only writer of the embedded log. It combines waiting transactions, gives their records offsets, and writes them
 * in one statement. Only then readers see them and the callers get their result. A transaction that throws fails its
 * own caller only. After a failed write it is unknown what landed, so the state in memory is discarded and reloaded.
 *
 *   callers ─▶ queue ─▶ give offsets ─▶ write (all or nothing) ─▶ records in memory ─▶ callers
 */
import { Cause, Clock, Deferred, Effect, Exit, Latch, Queue, Semaphore } from "effect"
import { Limits } from "../../config/Limits.ts"
import type { EventLogError, Partition, Position, Transaction } from "../EventLog.ts"
import { partitionKey } from "../PlaceRecords.ts"
import { makeRecordList, push, type RecordList, trim } from "../RecordList.ts"
import { partitionsOf } from "../Topics.ts"
import {
  type Accepted,
  accept,
  type Bounds,
  batchOf,
  commitKey,
  failed,
  type LogState,
  type Request,
  type WriteResult
} from "./Batch.ts"
import type { Tables } from "./Tables.ts"

export const makeWriter = Effect.fnUntraced(function* (tables: Tables) {
  const queue = yield* Queue.bounded<Request>(Limits.embeddedLogQueue)
  const lists = new Map<string, RecordList>()
  /** Writing, reloading the state and applying retention exclude one another. */
  const lock = Semaphore.makeUnsafe(1)
  const unanswered = new Set<Request>()
  let closed = false
  let fence = yield* tables.own
  let known: LogState | undefined

  const listOf = ({ topic, partition }: Partition): RecordList => {
    const key = partitionKey(topic, partition)
    let list = lists.get(key)
    if (list === undefined) {
      if (partition >= partitionsOf(topic)) throw new Error(`topic ${topic} has no partition ${partition}`)
      list = makeRecordList(known?.partitions.get(key)?.end ?? 0)
      lists.set(key, list)
    }
    return list
  }

  const load = Effect.gen(function* () {
    fence = yield* tables.renew(fence)
    const partitions = new Map<string, Bounds>()
    for (const { topic, partition, ...bounds } of yield* tables.loadPartitions) {
      partitions.set(partitionKey(topic, partition), bounds)
    }
    const commits = new Map<string, number>()
    for (const commit of yield* tables.loadCommits)
      commits.set(commitKey(commit.group, commit), commit.offset)
    // The records in memory may lack those of the failed write: clear them, and wake the readers that wait.
    for (const [key, list] of lists) {
      list.records.length = 0
      list.size = 0
      list.end = partitions.get(key)?.end ?? 0
      const waiting = list.grew
      list.grew = Latch.makeUnsafe()
      waiting.openUnsafe()
    }
    known = { fence, partitions, commits }
    return known
  })

  const loaded = Effect.suspend(() => (known === undefined ? load : Effect.succeed(known)))

  const write = Effect.fnUntraced(function* (
    accepted: ReadonlyArray<Accepted>,
    state: LogState,
    nowMs: number
  ) {
    const { batch, groups } = batchOf(accepted, state)
    yield* tables.write(state.fence, batch, nowMs)
    for (const commit of batch.commits) state.commits.set(commitKey(commit.group, commit), commit.offset)
    for (const { key, records, after } of groups) {
      state.partitions.set(key, after)
      const list = listOf(records[0]!)
      push(list, records)
      trim(list, Limits.embeddedLogTailRecords, Limits.embeddedLogTailBytes)
    }
  })

  const writeBatch = Effect.fnUntraced(function* (requests: ReadonlyArray<Request>) {
    const state = yield* loaded
    const nowMs = yield* Clock.currentTimeMillis
    const { accepted, refused } = accept(requests, state, nowMs)
    if (accepted.length > 0) yield* write(accepted, state, nowMs)
    return [
      ...refused,
      ...accepted.map(({ request, placed }): readonly [Request, WriteResult] => [
        request,
        Exit.succeed(placed.positions)
      ])
    ]
  })

  const serve = Effect.fnUntraced(function* (requests: ReadonlyArray<Request>) {
    const exit = yield* Effect.exit(writeBatch(requests))
    if (Exit.isSuccess(exit)) {
      for (const [{ answer }, result] of exit.value) Deferred.doneUnsafe(answer, result)
      return
    }
    known = undefined
    // If this fails as well, the next use of the state loads it.
    yield* Effect.ignore(load)
    const cause = Cause.squash(exit.cause)
    for (const request of requests)
      Deferred.doneUnsafe(request.answer, Exit.fail(failed("append", request, cause)))
  })

  const takeBatch = Effect.gen(function* () {
    const requests = [yield* Queue.take(queue)]
    let count = requests[0]!.transaction.append.length
    while (count < Limits.embeddedLogBatchRecords) {
      const more = yield* Queue.poll(queue)
      if (more._tag === "None") break
      requests.push(more.value)
      count += more.value.transaction.append.length
    }
    return requests
  })

  const submit = (transaction: Transaction): Effect.Effect<ReadonlyArray<Position>, EventLogError> =>
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
    /** Returns the state of the tables. If a write has failed, it reloads the state first. */
    state: Effect.suspend(() => (known === undefined ? lock.withPermit(loaded) : Effect.succeed(known))),
    /** Runs `retention` while nothing is written, then reloads the state. */
    applyRetention: <E>(retention: Effect.Effect<void, E>) =>
      Effect.gen(function* () {
        known = undefined
        yield* retention
        yield* load
      }).pipe(lock.withPermit, Effect.uninterruptible)
  }
})
