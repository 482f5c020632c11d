/**
 * Puts a steady load on a log and records it in the books. Writers append one transaction after another and skip failed
 * ones; the chain writer must not skip any, like ingest; groups read the written records and the output of the pipes.
 * A test can halt the load, so that the log does not change.
 */
import { Effect, Latch, Schedule } from "effect"
import type { Log } from "../../../../src/spine/log/Log.ts"
import { retryUntilSuccess } from "../../../../src/spine/observe/RetryUntilSuccess.ts"
import { waitUntil } from "../../http/apiClient.ts"
import {
  type Books,
  CHAIN,
  identityOf,
  MARKERS,
  OUTPUT_GROUP,
  PIPE_TO,
  transactionOf,
  WORK,
  WORK_GROUP
} from "./Books.ts"

type OpenLog = Log["Service"]

const WRITERS = 4
const PACE = "40 millis"
const CHAIN_PACE = "200 millis"
const TAKEN = 200
/** After this many new transactions of each writer, writing counts as resumed. */
const SOME = 10
/** The load must have recovered from a fault within this time. */
const OVERCOME = "120 seconds"

const CHAIN_WRITER = "chain"

const lastLink = (log: OpenLog) =>
  log
    .last({ topic: MARKERS, partition: 0 })
    .pipe(Effect.map((marker) => (marker === undefined ? -1 : identityOf(marker.value).n)))

/** The two logs simulate two processes. */
export const startLoad = Effect.fnUntraced(function* (logs: readonly [OpenLog, OpenLog], books: Books) {
  const gate = yield* Latch.make(true)
  let underWay = 0
  const whenOpen = <A, E>(append: Effect.Effect<A, E>) =>
    Latch.await(gate).pipe(
      Effect.andThen(Effect.sync(() => underWay++)),
      Effect.andThen(append),
      Effect.ensuring(Effect.sync(() => underWay--))
    )

  const names = Array.from({ length: WRITERS }, (_, i) => `w${i}`)
  for (const [i, name] of names.entries()) {
    let n = 0
    const next = Effect.suspend(() => {
      const own = n++
      return Effect.match(logs[i % 2]!.transaction({ append: transactionOf(name, own) }), {
        onSuccess: (positions) => books.appended(name, own, positions),
        onFailure: () => books.refused(name, own)
      })
    })
    yield* Effect.forkScoped(Effect.repeat(whenOpen(next), Schedule.spaced(PACE)))
  }

  let links = 0
  /** After a failure it opens a new writer, which first reads the last link that was written. */
  const chain = Effect.gen(function* () {
    const writer = yield* logs[0].exclusive(CHAIN_WRITER)
    let last = yield* lastLink(logs[0])
    const next = Effect.suspend(() =>
      writer.transaction({
        append: [{ topic: CHAIN, key: CHAIN_WRITER, value: `${CHAIN_WRITER} ${last + 1} 0` }],
        appendThen: ([link]) => [
          { topic: MARKERS, key: CHAIN_WRITER, value: `${CHAIN_WRITER} ${last + 1} ${link!.offset}` }
        ]
      })
    ).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          last++
          links++
        })
      )
    )
    return yield* Effect.repeat(whenOpen(next), Schedule.spaced(CHAIN_PACE))
  }).pipe(Effect.scoped, retryUntilSuccess("appending to the chain"))
  yield* Effect.forkScoped(chain)

  const reading = (log: OpenLog, group: string, topic: string) =>
    log
      .consume({ group, topics: [topic] }, (partition) =>
        Effect.gen(function* () {
          const records = yield* partition.take(TAKEN)
          books.given(group, records)
          yield* partition.commit(records.at(-1)!.offset + 1)
        }).pipe(Effect.forever)
      )
      .pipe(retryUntilSuccess(`reading ${topic}`), Effect.forkScoped)
  for (const log of logs) {
    yield* reading(log, WORK_GROUP, WORK)
    yield* reading(log, OUTPUT_GROUP, PIPE_TO)
  }

  return {
    /** Waits until every writer has made progress and every record acknowledged by then has been read. */
    flows: Effect.gen(function* () {
      const countsOf = () => names.map(books.countOf)
      const [before, linksBefore] = [countsOf(), links]
      yield* waitUntil(
        Effect.sync(
          () => links > linksBefore + 1 && countsOf().every((count, i) => count >= before[i]! + SOME)
        ),
        OVERCOME
      )
      const acknowledged = books.pending()
      yield* waitUntil(
        Effect.sync(() => !acknowledged.some(books.isPending)),
        OVERCOME
      )
    }),
    /** Runs the effect while no writer is active and after all records have been read. */
    whileHalted: <A, E, R>(look: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        gate.closeUnsafe()
        yield* waitUntil(
          Effect.sync(() => underWay === 0 && books.pending().length === 0),
          OVERCOME
        )
        const result = yield* look
        books.resumed()
        gate.openUnsafe()
        return result
      })
  }
})
