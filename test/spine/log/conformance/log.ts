/**
 * What every adapter of `Log` keeps: one suite, run against each. Kafka's transaction markers leave holes, so only
 * growth of offsets is required; `dense` adapters are held to more. `reopen` closes the log and opens it on the same
 * data. Topics are real ones: one partition (`webhooks.config`, compacted; `xrpl.testnet.events`), 6 and 24 partitions.
 */
import { assert, it } from "@effect/vitest"
import { Cause, Clock, Deferred, Effect, Exit, Fiber, Latch, Result, type Scope } from "effect"
import type {
  LogError,
  LogRecord,
  Log as LogService,
  NewRecord,
  Partition
} from "../../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../../src/spine/log/Topics.ts"

type Log = LogService["Service"]

export interface Subject {
  readonly dense: boolean
  readonly durable: boolean
  /** Opens the log on the subject's data for the life of the scope; data stay. */
  readonly open: Effect.Effect<Log, never, Scope.Scope>
}

const EVENTS = "xrpl.testnet.events"
const WORK = "webhooks.deliveries"
const CONFIG = "webhooks.config"
const at = (topic: string, partition = 0): Partition => ({ topic, partition })
const record = (topic: string, key: string, value: string | null = key): NewRecord => ({ topic, key, value })
const numbers = (count: number, topic = EVENTS) =>
  Array.from({ length: count }, (_, i) => record(topic, "k", String(i)))
const values = (records: ReadonlyArray<LogRecord>) => records.map(({ value }) => value)

const readAll = Effect.fnUntraced(function* (log: Log, partition: Partition) {
  const found: Array<LogRecord> = []
  let offset = 0
  while (true) {
    const records = yield* log.read({ ...partition, offset }, 100)
    if (records.length === 0) return found
    found.push(...records)
    offset = records.at(-1)!.offset + 1
  }
})

/** `subject` gives each test data of its own. */
export const suite = (subject: Effect.Effect<Subject, unknown, Scope.Scope>): void => {
  const test = (
    promise: string,
    body: (log: Log, dense: boolean) => Effect.Effect<void, unknown, Scope.Scope>
  ) =>
    it.live(promise, () =>
      Effect.gen(function* () {
        const one = yield* subject
        yield* body(yield* one.open, one.dense)
      }).pipe(Effect.scoped, Effect.orDie)
    )

  test("gives offsets in the order of appending and reads them back so", (log, dense) =>
    Effect.gen(function* () {
      const positions = yield* log.transaction({ append: numbers(250) })
      const offsets = positions.map(({ offset }) => offset)
      assert.deepStrictEqual(
        offsets,
        [...offsets].sort((a, b) => a - b)
      )
      if (dense) assert.deepStrictEqual(offsets, [...offsets.keys()])
      const records = yield* readAll(log, at(EVENTS))
      assert.deepStrictEqual(
        values(records),
        numbers(250).map(({ value }) => value)
      )
      assert.deepStrictEqual(
        records.map(({ offset }) => offset),
        offsets
      )
    }))

  test("keeps key, value, headers and timestamp", (log) =>
    Effect.gen(function* () {
      const given = {
        topic: EVENTS,
        key: "schlüssel",
        value: 'é "quoted" \u0001 \n',
        headers: { a: "1" },
        timestamp: 1_700_000_000_123
      }
      yield* log.transaction({ append: [given] })
      const [found] = yield* log.read({ ...at(EVENTS), offset: 0 }, 1)
      assert.deepInclude(found, given)
      yield* log.transaction({ append: [record(EVENTS, "k")] })
      const now = yield* Clock.currentTimeMillis
      assert.closeTo((yield* log.last(at(EVENTS)))!.timestamp, now, 60_000)
    }))

  test("puts all records of a key into one partition, and keys into all of them", (log) =>
    Effect.gen(function* () {
      const keys = Array.from({ length: 200 }, (_, i) => `wh_${i}`)
      const first = yield* log.transaction({ append: keys.map((key) => record(WORK, key)) })
      const again = yield* log.transaction({ append: keys.map((key) => record(WORK, key)) })
      assert.deepStrictEqual(
        first.map(({ partition }) => partition),
        again.map(({ partition }) => partition)
      )
      assert.deepStrictEqual(
        first.map(({ partition }) => partition),
        keys.map((key) => partitionOf(WORK, key))
      )
      assert.strictEqual(new Set(first.map(({ partition }) => partition)).size, 24)
    }))

  test("gives concurrent appenders positions of their own, each call's in order", (log) =>
    Effect.gen(function* () {
      const calls = yield* Effect.all(
        Array.from({ length: 40 }, (_, call) =>
          log.transaction({
            append: Array.from({ length: 25 }, (_, i) => record(EVENTS, "k", `${call}-${i}`))
          })
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(calls.flat().map(({ offset }) => offset)).size, 1_000)
      const byOffset = new Map((yield* readAll(log, at(EVENTS))).map(({ offset, value }) => [offset, value]))
      for (const [call, positions] of calls.entries()) {
        assert.deepStrictEqual(
          positions.map(({ offset }) => byOffset.get(offset)),
          positions.map((_, i) => `${call}-${i}`)
        )
      }
    }))

  test("appends to several topics and commits in one transaction, with records that name where the first landed", (log) =>
    Effect.gen(function* () {
      yield* log.transaction({ append: numbers(3) })
      const positions = yield* log.transaction({
        append: [record(EVENTS, "k", "a"), record(EVENTS, "k", "b")],
        appendThen: ([first]) => [record("xrpl.testnet.ledgers", "k", `starts at ${first!.offset}`)],
        commit: { group: "g", positions: [{ ...at(EVENTS), offset: 3 }] }
      })
      const marker = yield* log.last(at("xrpl.testnet.ledgers"))
      assert.strictEqual(marker?.value, `starts at ${positions[0]!.offset}`)
      assert.strictEqual(yield* log.committed("g", at(EVENTS)), 3)
      assert.strictEqual(yield* log.committed("other", at(EVENTS)), 0)
      assert.strictEqual(yield* log.committed("g", at(WORK, 6)), 0)
    }))

  test("leaves nothing of a transaction that fails, and accepts the next one", (log) =>
    Effect.gen(function* () {
      const broken = log.transaction({
        append: numbers(3),
        appendThen: () => {
          throw new Error("no marker")
        },
        commit: { group: "g", positions: [{ ...at(EVENTS), offset: 9 }] }
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(broken)))
      assert.deepStrictEqual(yield* readAll(log, at(EVENTS)), [])
      assert.strictEqual(yield* log.committed("g", at(EVENTS)), 0)
      yield* log.transaction({ append: numbers(2) })
      assert.deepStrictEqual(values(yield* readAll(log, at(EVENTS))), ["0", "1"])
    }))

  test("lands a batch of thousands whole and in order", (log) =>
    Effect.gen(function* () {
      const positions = yield* log.transaction({ append: numbers(5_000) })
      assert.strictEqual(positions.length, 5_000)
      assert.deepStrictEqual(
        values(yield* readAll(log, at(EVENTS))),
        numbers(5_000).map(({ value }) => value)
      )
    }))

  test("dies naming a topic that nobody described", (log) =>
    Effect.gen(function* () {
      const uses: ReadonlyArray<Effect.Effect<unknown, LogError>> = [
        log.transaction({ append: [record("no.such.topic", "k")] }),
        log.offsets(at("no.such.topic"))
      ]
      for (const use of uses) {
        const exit = yield* Effect.exit(use)
        assert.isTrue(Exit.hasDies(exit))
        assert.include(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), "no.such.topic")
      }
    }))

  test("lets only the newest of a name's exclusive writers write", (log) =>
    Effect.gen(function* () {
      const first = yield* log.exclusive("ingest.testnet")
      const other = yield* log.exclusive("ingest.devnet")
      yield* first.transaction({ append: [record(EVENTS, "k", "1")] })
      const second = yield* log.exclusive("ingest.testnet")
      assert.strictEqual((yield* log.last(at(EVENTS)))?.value, "1")
      yield* second.transaction({ append: [record(EVENTS, "k", "2")] })
      assert.isTrue(
        Result.isFailure(yield* Effect.result(first.transaction({ append: [record(EVENTS, "k", "late")] })))
      )
      const again = yield* Effect.flip(first.transaction({ append: [record(EVENTS, "k", "later")] }))
      assert.strictEqual(again.operation, "fence")
      yield* second.transaction({ append: [record(EVENTS, "k", "3")] })
      yield* other.transaction({ append: [record(EVENTS, "k", "4")] })
      assert.deepStrictEqual(values(yield* readAll(log, at(EVENTS))), ["1", "2", "3", "4"])
    }))

  test("reads a range from any offset, at most as many as asked, and nothing at the head", (log) =>
    Effect.gen(function* () {
      const positions = yield* log.transaction({ append: numbers(20) })
      const from = positions[5]!.offset
      assert.deepStrictEqual(values(yield* log.read({ ...at(EVENTS), offset: from }, 3)), ["5", "6", "7"])
      const { start, end } = yield* log.offsets(at(EVENTS))
      assert.isAtMost(start, positions[0]!.offset)
      assert.isAbove(end, positions[19]!.offset)
      assert.deepStrictEqual(yield* log.read({ ...at(EVENTS), offset: end }, 3), [])
      assert.strictEqual((yield* log.last(at(EVENTS)))?.value, "19")
      assert.strictEqual(yield* log.last(at(WORK, 1)), undefined)
    }))

  test("wakes a reader that waits at the head", (log) =>
    Effect.gen(function* () {
      const { end } = yield* log.offsets(at(EVENTS))
      const waiting = yield* Effect.forkChild(log.awaitOffset({ ...at(EVENTS), offset: end }))
      yield* log.transaction({ append: numbers(1) })
      yield* Fiber.join(waiting)
    }))

  /** Consumes in the background, keeping what came and committing it. */
  const consuming = (log: Log, group: string, topic: string, enough: number) =>
    Effect.gen(function* () {
      const got: Array<LogRecord> = []
      const done = Latch.makeUnsafe()
      const fiber = yield* Effect.forkScoped(
        log.consume({ group, topics: [topic] }, (partition) =>
          Effect.forever(
            Effect.gen(function* () {
              const records = yield* partition.take(7)
              assert.isAbove(records.length, 0)
              got.push(...records)
              yield* partition.commit(records.at(-1)!.offset + 1)
              if (got.length >= enough) yield* Latch.open(done)
            })
          )
        )
      )
      yield* Latch.await(done)
      return { got, stop: Fiber.interrupt(fiber) }
    })

  test("hands a group every record of all 24 partitions, each partition in order", (log) =>
    Effect.gen(function* () {
      const append = Array.from({ length: 300 }, (_, i) => record(WORK, `wh_${i % 60}`, String(i)))
      yield* log.transaction({ append })
      const { got } = yield* consuming(log, "g", WORK, 300)
      assert.deepStrictEqual(
        got.map(({ value }) => Number(value)).sort((a, b) => a - b),
        [...append.keys()]
      )
      for (let partition = 0; partition < 24; partition++) {
        const offsets = got.filter((one) => one.partition === partition).map(({ offset }) => offset)
        assert.deepStrictEqual(
          offsets,
          [...offsets].sort((a, b) => a - b)
        )
      }
    }))

  test("resumes where the group committed; another group starts at the beginning", (log) =>
    Effect.gen(function* () {
      yield* log.transaction({ append: numbers(10) })
      const first = yield* consuming(log, "g", EVENTS, 10)
      yield* first.stop
      yield* log.transaction({ append: [record(EVENTS, "k", "after")] })
      const second = yield* consuming(log, "g", EVENTS, 1)
      assert.deepStrictEqual(values(second.got), ["after"])
      const other = yield* consuming(log, "other", EVENTS, 11)
      assert.strictEqual(other.got.length, 11)
    }))

  test("lets a second consumer of the group wait until the first has ended, and refuses the first's late commit", (log) =>
    Effect.gen(function* () {
      yield* log.transaction({ append: numbers(1) })
      const lost = yield* Deferred.make<Effect.Effect<void, unknown>>()
      const first = yield* Effect.forkScoped(
        log.consume({ group: "g", topics: [EVENTS] }, (partition) =>
          Effect.andThen(Deferred.succeed(lost, partition.commit(1)), Effect.never)
        )
      )
      const lateCommit = yield* Deferred.await(lost)
      const second = yield* Effect.forkScoped(consuming(log, "g", EVENTS, 1))
      yield* Effect.yieldNow
      assert.strictEqual(second.pollUnsafe(), undefined)
      yield* Fiber.interrupt(first)
      assert.strictEqual((yield* Fiber.join(second)).got.length, 1)
      assert.isTrue(Result.isFailure(yield* Effect.result(lateCommit)))
    }))

  test("ends a consumer with the error of its handler", (log) =>
    Effect.gen(function* () {
      const failing = log.consume({ group: "g", topics: [EVENTS] }, () => Effect.fail("handler's own"))
      assert.strictEqual(yield* Effect.flip(failing), "handler's own")
    }))

  test("keeps the newest record of each key of a compacted topic, and forgets deleted keys", (log) =>
    Effect.gen(function* () {
      yield* log.transaction({
        append: [
          record(CONFIG, "a", "1"),
          record(CONFIG, "b", "1"),
          record(CONFIG, "a", "2"),
          record(CONFIG, "c", "1")
        ]
      })
      yield* log.transaction({ append: [record(CONFIG, "b", null)] })
      yield* log.applyRetention
      const { end } = yield* log.offsets(at(CONFIG))
      yield* log.transaction({ append: [record(CONFIG, "d", "1")] })
      // As a reader applies them: what is compacted may be gone, but never shows an older value.
      const view = new Map<string, string>()
      for (const { key, value } of yield* readAll(log, at(CONFIG))) {
        if (value === null) view.delete(key)
        else view.set(key, value)
      }
      assert.deepStrictEqual([...view].sort(), [
        ["a", "2"],
        ["c", "1"],
        ["d", "1"]
      ])
      assert.isAtLeast((yield* log.last(at(CONFIG)))!.offset, end)
    }))

  test("survives an interrupted append: all of it or nothing", (log) =>
    Effect.gen(function* () {
      for (let round = 0; round < 20; round++) {
        const appending = yield* Effect.forkChild(log.transaction({ append: numbers(50) }))
        if (round % 2 === 0) yield* Effect.yieldNow
        yield* Fiber.interrupt(appending)
      }
      yield* log.transaction({ append: [record(EVENTS, "k", "last")] })
      const found = values(yield* readAll(log, at(EVENTS)))
      assert.strictEqual((found.length - 1) % 50, 0)
      assert.strictEqual(found.at(-1), "last")
    }))

  it.live("has everything still there after closing and opening again", () =>
    Effect.gen(function* () {
      const { open, durable } = yield* subject
      if (!durable) return
      yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* open
          yield* log.transaction({ append: [...numbers(600), record(CONFIG, "a", "1")] })
          const { stop } = yield* consuming(log, "g", EVENTS, 600)
          yield* stop
          yield* log.transaction({ append: numbers(3) })
        })
      )
      const log = yield* open
      const positions = yield* log.transaction({ append: [record(EVENTS, "k", "new")] })
      const { got } = yield* consuming(log, "g", EVENTS, 4)
      assert.deepStrictEqual(values(got), ["0", "1", "2", "new"])
      assert.strictEqual(got.at(-1)?.offset, positions[0]!.offset)
      assert.strictEqual((yield* readAll(log, at(EVENTS))).length, 604)
      assert.deepStrictEqual(values(yield* readAll(log, at(CONFIG))), ["1"])
    }).pipe(Effect.scoped, Effect.orDie)
  )
}
