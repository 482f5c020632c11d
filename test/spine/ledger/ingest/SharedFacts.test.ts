/** What other processes learn of ingest: newest facts, not too often, and never at the cost of a ledger. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { type IngestOptions, ingest } from "../../../../src/spine/ledger/ingest/Ingest.ts"
import type { NetworkFacts } from "../../../../src/spine/ledger/ingest/NetworkFacts.ts"
import { chain } from "../../../support/ledger/chain.ts"
import { awaitLedgers, memoryLayer, oneEventEach } from "../../../support/ledger/ingesting.ts"
import { scriptedSource } from "../../../support/ledger/scriptedSource.ts"

const running = (source: ReturnType<typeof scriptedSource>, share: IngestOptions["share"] & {}) =>
  ingest({ network: "mainnet", start: 100, detect: oneEventEach, share }).pipe(
    Effect.provide(source.layer),
    Effect.forkScoped
  )

describe("what other processes learn of ingest", () => {
  it.effect("is told once a second at most, and every 3 s while nothing happens", () => {
    const source = scriptedSource()
    source.serve(chain(100, 140))
    const told: Array<{ readonly at: number; readonly facts: NetworkFacts }> = []
    return Effect.gen(function* () {
      const begin = yield* Clock.currentTimeMillis
      const since = (from: number) => told.filter(({ at }) => at > from).map(({ at }) => at - begin)
      yield* running(source, (facts) =>
        Effect.map(Clock.currentTimeMillis, (at) => void told.push({ at, facts }))
      )
      for (let index = 100; index < 120; index++) {
        yield* source.announce(index)
        yield* awaitLedgers(index - 99)
        yield* TestClock.adjust(200)
      }
      assert.deepStrictEqual(since(begin), [1_000, 2_000, 3_000, 4_000])
      const { facts } = told.at(-1)!
      assert.deepInclude(facts, { head: 119, last_taken: 119 })
      assert.isNotNull(facts.last_close_time)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(since(begin + 4_000), [7_000, 10_000, 13_000])
      // After a pause, a taken ledger is told at once.
      yield* TestClock.adjust(1_500)
      yield* source.announce(120)
      yield* awaitLedgers(21)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(since(begin + 13_000), [15_500])
    }).pipe(Effect.provide(memoryLayer()))
  })

  it.effect("delays no ledger while the database does not answer, and the next facts are the newest", () => {
    const source = scriptedSource()
    source.serve(chain(100, 140))
    const told: Array<number | null> = []
    return Effect.gen(function* () {
      yield* running(source, ({ last_taken }) => {
        told.push(last_taken)
        return told.length < 3 ? Effect.never : Effect.void
      })
      yield* source.announce(110)
      yield* awaitLedgers(11)
      yield* source.announce(130)
      yield* awaitLedgers(31)
      assert.lengthOf(told, 1)
      yield* TestClock.adjust("15 seconds")
      assert.isAbove(told.length, 2)
      assert.strictEqual(told.at(-1), 130)
    }).pipe(Effect.provide(memoryLayer()))
  })
})
