/** Streams of ledgers on a virtual clock: what runs for their viewers, when a ledger is sent, and how little is kept. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ApiKeyStore } from "../../../../src/features/accounts/ApiKeyStore.ts"
import { DeliveryQueries } from "../../../../src/features/deliveries/DeliveryQueries.ts"
import { makeBlockReader } from "../../../../src/features/events/follow/Blocks.ts"
import { LedgerStreams } from "../../../../src/features/ledgers/stream/LedgerStreams.ts"
import { KEPT_LEDGERS } from "../../../../src/features/ledgers/stream/LiveLedgers.ts"
import type { Identity } from "../../../../src/spine/domain/ApiKey.ts"
import { planLimits } from "../../../../src/spine/domain/Plans.ts"
import type { Network } from "../../../../src/spine/event/Network.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { routeLedgers, takeLedger } from "../liveLedgers.ts"

/** What the streams have read: the accounts whose answers were asked for, and how often the log was read. */
class Reads extends Context.Service<Reads, { answers: Array<string>; log: number }>()("test/Reads") {}

const readsLayer = Layer.sync(Reads, () => ({ answers: [], log: 0 }))

const countedLog = Layer.effect(
  Log,
  Effect.gen(function* () {
    const [log, reads] = [yield* Log, yield* Reads]
    const counted = <A, E>(self: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        reads.log++
        return self
      })
    return {
      ...log,
      read: (position, most) => counted(log.read(position, most)),
      committed: (group, partition) => counted(log.committed(group, partition))
    } satisfies Log["Service"]
  })
).pipe(Layer.provide(MemoryLog.layer), Layer.provide(settingsLayer()))

/** In every read another delivery has been answered. */
const changingAnswers = Layer.unwrap(
  Effect.map(Reads, (reads) =>
    Layer.mock(DeliveryQueries)({
      ledgerAnswers: (accountId, _, takenAt) =>
        Effect.sync(() => {
          reads.answers.push(accountId)
          return takenAt.map((taken_at) => ({
            taken_at,
            webhook_id: `wh_${accountId}`,
            event_type: "payment.xrp",
            events: 1_000,
            answered: reads.answers.length,
            failed: 0,
            waiting: 1,
            last_status: 200,
            last_error: null,
            response_time_ms: 12
          }))
        })
    })
  )
)

const keys = Layer.mock(ApiKeyStore)({ usable: (hashes) => Effect.succeed(new Set(hashes)) })

const Live = LedgerStreams.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(countedLog, changingAnswers, keys)),
  Layer.provideMerge(readsLayer)
)

const callerOf = (accountId: string): Identity => ({
  keyId: accountId,
  admittedBy: "key 00",
  accountId,
  plan: "builder",
  limits: planLimits.builder,
  environment: "test",
  scopes: ["admin"]
})

/** Opens a stream of testnet's ledgers. `next`: the blocks of the next piece. */
const view = Effect.fnUntraced(function* (account = "a", networks: ReadonlyArray<Network> = ["testnet"]) {
  const streams = yield* LedgerStreams
  const connection = { endStream: undefined as (() => void) | undefined, destroy: () => {} }
  const piece = yield* streams.open({ caller: callerOf(account), connection }, networks)
  const read = makeBlockReader()
  const next = Effect.map(piece, (text) => (text === undefined ? undefined : read(text)))
  assert.strictEqual(yield* piece, ": keep-alive\n\n")
  return { connection, next }
})

type View = Effect.Success<ReturnType<typeof view>>

const dataOf = (blocks: Effect.Success<View["next"]>) =>
  (blocks ?? []).map(({ data, event }) => {
    assert.strictEqual(event, "ledger")
    return JSON.parse(data ?? "")
  })

/** The messages of the next `ms`, each with the time since the call. */
const taken = Effect.fnUntraced(function* ({ next }: View, ms: number) {
  const found: Array<{ readonly at: number; readonly index: number; readonly answered: number }> = []
  let at = 0
  const taking = yield* Effect.forkChild(
    Effect.forever(
      Effect.map(next, (blocks) => {
        for (const { ledger_index: index, webhooks } of dataOf(blocks?.filter(({ data }) => data)))
          found.push({ at, index, answered: webhooks[0]?.answered })
      })
    ),
    { startImmediately: true }
  )
  for (; at < ms; at += 50) yield* TestClock.adjust(50)
  yield* Fiber.interrupt(taking)
  return found
})

describe("a stream of ledgers", () => {
  it.effect("begins with the newest kept ledgers of each network, oldest first", () =>
    Effect.gen(function* () {
      const ledgers = yield* Effect.forEach(Array.from({ length: KEPT_LEDGERS + 3 }), () =>
        takeLedger("testnet")
      )
      const other = yield* takeLedger("devnet", [])
      yield* routeLedgers("testnet")
      const found = yield* taken(yield* view("a", ["testnet", "devnet"]), 500)
      assert.deepStrictEqual(
        found.filter(({ index }) => index !== other.index).map(({ index }) => index),
        ledgers.slice(-KEPT_LEDGERS).map(({ index }) => index)
      )
      assert.include(
        found.map(({ index }) => index),
        other.index
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("has the past in its first message, and the newest ledger once its answers can have come", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(Array.from({ length: KEPT_LEDGERS }), () => takeLedger("testnet"))
      yield* routeLedgers("testnet")
      const { next } = yield* view("a", ["testnet"])
      const first = yield* Effect.map(next, (blocks) => dataOf(blocks?.filter(({ data }) => data))).pipe(
        Effect.repeat({ until: (ledgers) => ledgers.length > 0 })
      )
      assert.lengthOf(first, KEPT_LEDGERS - 1)
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("sends a ledger when its events are queued, and not before; an empty one at once", () =>
    Effect.gen(function* () {
      const viewer = yield* view()
      const empty = yield* takeLedger("testnet", [])
      assert.deepStrictEqual(
        (yield* taken(viewer, 500)).map(({ index }) => index),
        [empty.index]
      )
      const ledger = yield* takeLedger("testnet")
      yield* taken(viewer, 300)
      assert.notInclude(
        (yield* taken(viewer, 5_000)).map(({ index }) => index),
        ledger.index
      )
      yield* routeLedgers("testnet")
      const [first] = (yield* taken(viewer, 1_000)).filter(({ index }) => index === ledger.index)
      assert.isAtMost(first!.at, 500)
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("sends a ledger again while its answers come in, at most once a second", () =>
    Effect.gen(function* () {
      const viewer = yield* view()
      const ledger = yield* takeLedger("testnet")
      yield* routeLedgers("testnet")
      const found = yield* taken(viewer, 4_000)
      assert.deepStrictEqual(new Set(found.map(({ index }) => index)), new Set([ledger.index]))
      assert.isAtLeast(found.length, 4)
      for (const [i, { answered, at }] of found.slice(1).entries()) {
        assert.isAtLeast(at - found[i]!.at, 1_000)
        assert.isAbove(answered, found[i]!.answered)
      }
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("owes a reader that takes nothing one message for each kept ledger, the newest", () =>
    Effect.gen(function* () {
      const { answers } = yield* Reads
      const viewer = yield* view()
      yield* takeLedger("testnet")
      yield* routeLedgers("testnet")
      yield* TestClock.adjust("5 seconds")
      const readBefore = answers.length
      assert.isAbove(readBefore, 3)
      const found = yield* taken(viewer, 50)
      assert.deepStrictEqual(
        found.map(({ answered }) => answered),
        [readBefore]
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("sends a comment after 15 s without a message", () =>
    Effect.gen(function* () {
      const { next } = yield* view()
      const silent = yield* Effect.forkChild(next, { startImmediately: true })
      yield* TestClock.adjust("14 seconds")
      assert.isUndefined(silent.pollUnsafe())
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(
        (yield* Fiber.join(silent))?.map(({ data }) => data),
        [undefined]
      )
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("ends when the server stops, and says so", () =>
    Effect.gen(function* () {
      const { connection, next } = yield* view()
      connection.endStream?.()
      const [block] = (yield* next) ?? []
      assert.strictEqual(block?.event, "error")
      assert.deepInclude(JSON.parse(block?.data ?? "").error, { code: "UNAVAILABLE" })
      assert.isUndefined(yield* next)
    }).pipe(Effect.scoped, Effect.provide(Live))
  )
})

describe("viewers", () => {
  it.effect("of one account share its reads, and those of all accounts the reads of the log", () =>
    Effect.gen(function* () {
      const readsFor = (...accounts: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const reads = yield* Reads
          yield* Effect.forEach(accounts, (account) => view(account))
          yield* takeLedger("testnet")
          yield* routeLedgers("testnet")
          yield* TestClock.adjust("3 seconds")
          return { log: reads.log, answers: reads.answers.length }
        }).pipe(Effect.scoped, Effect.provide(Layer.fresh(Live)))
      const one = yield* readsFor("a")
      assert.isAbove(one.answers, 0)
      assert.deepStrictEqual(yield* readsFor("a", "a", "a"), one)
      assert.deepStrictEqual(yield* readsFor("a", "b"), { log: one.log, answers: 2 * one.answers })
    })
  )

  it.effect("are the only ones for whom anything is read", () =>
    Effect.gen(function* () {
      const reads = yield* Reads
      const [first, second] = [yield* Scope.make(), yield* Scope.make()]
      const nothingFor = Effect.fnUntraced(function* (ms: number) {
        const before = reads.log + reads.answers.length
        yield* takeLedger("testnet")
        yield* routeLedgers("testnet")
        yield* TestClock.adjust(ms)
        return reads.log + reads.answers.length === before
      })
      assert.isTrue(yield* nothingFor(60_000))
      yield* Scope.provide(view(), first)
      yield* Scope.provide(view(), second)
      assert.isFalse(yield* nothingFor(3_000))
      yield* Scope.close(first, Exit.void)
      assert.isFalse(yield* nothingFor(3_000))
      yield* Scope.close(second, Exit.void)
      assert.isTrue(yield* nothingFor(60_000))
    }).pipe(Effect.provide(Live))
  )
})
