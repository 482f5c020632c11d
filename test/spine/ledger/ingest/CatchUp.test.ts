/** Catch-up on the virtual clock: ledgers are fetched in parallel and appended in order, several in a transaction. */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { ingest, WAITING_LEDGERS } from "../../../../src/spine/ledger/ingest/Ingest.ts"
import { ledgerLimits } from "../../../../src/spine/ledger/Limits.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { Health, ledgerPart } from "../../../../src/spine/observe/Health.ts"
import { chain } from "../../../support/ledger/chain.ts"
import {
  events,
  eventually,
  eventuallyAdvancing,
  markers,
  memoryLayer,
  oneEventEach,
  takenIndexes
} from "../../../support/ledger/ingesting.ts"
import { type ScriptedSource, scriptedSource } from "../../../support/ledger/scriptedSource.ts"

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const running = (source: ScriptedSource) =>
  ingest({ network: "mainnet", start: 100, detect: oneEventEach }).pipe(
    Effect.provide(source.layer),
    Effect.forkScoped
  )

/** Wraps the log so that the transactions of its exclusive writers wait for `gate` and are counted. */
const gatedLog = (gate: Latch.Latch, transactions: Array<number>) =>
  Layer.effect(
    Log,
    Effect.map(Log, (inner) =>
      Log.of({
        ...inner,
        exclusive: (name) =>
          Effect.map(inner.exclusive(name), (writer) => ({
            transaction: (transaction) =>
              Latch.await(gate).pipe(
                Effect.andThen(writer.transaction(transaction)),
                Effect.tap(() => Effect.sync(() => transactions.push(transaction.append.length)))
              )
          }))
      })
    )
  )

describe("catching up", () => {
  it.effect("takes several ledgers in one transaction, in order, each with its own marker", () => {
    const source = scriptedSource()
    const ledgers = chain(100, 400, { transactions: 10 })
    source.serve(ledgers)
    const transactions: Array<number> = []
    return Effect.gen(function* () {
      yield* running(source)
      yield* source.announce(400)
      yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 301))
      assert.deepStrictEqual(yield* takenIndexes, range(100, 400))
      assert.isBelow(transactions.length, 150)
      const all = yield* markers
      for (const [i, marker] of all.entries()) {
        assert.strictEqual(marker.first_event_offset, 10 * i)
        if (i > 0) assert.strictEqual(marker.parent_hash, all[i - 1]!.ledger_hash)
        if (i > 0) assert.isAbove(marker.detected_at, all[i - 1]!.detected_at)
      }
      assert.deepStrictEqual(
        (yield* events).map(({ payload }) => payload["tx_hash"]),
        ledgers.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
      )
    }).pipe(Effect.provide(gatedLog(Latch.makeUnsafe(true), transactions)), Effect.provide(memoryLayer()))
  })

  it.effect(
    "bounds the events of a transaction, and the ledgers fetched while the log is unavailable",
    () => {
      const source = scriptedSource()
      source.serve(chain(100, 400, { transactions: 300 }))
      const gate = Latch.makeUnsafe(false)
      const transactions: Array<number> = []
      return Effect.gen(function* () {
        yield* running(source)
        yield* source.announce(400)
        yield* TestClock.adjust("1 minute")
        yield* eventually(Effect.succeed(true))
        // Upper bound: ledgers in the queue, in the current batch, being fetched, and in between.
        const most = 2 * WAITING_LEDGERS + 2 * ledgerLimits.catchUpParallel + 2
        assert.isAtMost(source.asked.length, most)
        yield* Latch.open(gate)
        yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 301))
        assert.deepStrictEqual(yield* takenIndexes, range(100, 400))
        assert.isAtMost(Math.max(...transactions), ledgerLimits.catchUpBatchEvents + 300)
      }).pipe(Effect.provide(gatedLog(gate, transactions)), Effect.provide(memoryLayer()))
    }
  )

  it.effect("continues after a restart between two transactions without a gap or a duplicate", () => {
    const source = scriptedSource()
    source.serve(chain(100, 300))
    const gate = Latch.makeUnsafe(true)
    return Effect.gen(function* () {
      const before = yield* running(source)
      yield* source.announce(250)
      yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length > 20))
      yield* Fiber.interrupt(before)
      yield* running(source)
      yield* source.announce(300)
      yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 201))
      assert.deepStrictEqual(yield* takenIndexes, range(100, 300))
    }).pipe(Effect.provide(gatedLog(gate, [])), Effect.provide(memoryLayer()))
  })

  it.effect("reports rate and time left, in the health and in the program's log", () => {
    const source = scriptedSource()
    const messages: Array<string> = []
    const logger = Logger.make(({ message }) => void messages.push(String(message)))
    return Effect.gen(function* () {
      const health = yield* Health
      yield* running(source)
      source.serve(chain(100, 101))
      yield* source.announce(1_100)
      // The source gets ten ledgers a second.
      for (let last = 110; last <= 300; last += 10) {
        source.serve(chain(100, last))
        yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === last - 99))
      }
      const { facts, detail } = (yield* health.get(ledgerPart("mainnet")))!
      assert.strictEqual(facts?.["behind"], 800)
      assert.isAbove(Number(facts?.["ledgers_per_second"]), 0)
      assert.isAbove(Number(facts?.["seconds_left"]), 0)
      assert.include(detail, "800 ledgers left")
      assert.include(messages, "catching up")
      source.serve(chain(100, 1_100))
      yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 1_001))
      yield* eventually(Effect.sync(() => messages.includes("caught up")))
    }).pipe(Effect.provide(Layer.merge(memoryLayer(), Logger.layer([logger]))))
  })
})
