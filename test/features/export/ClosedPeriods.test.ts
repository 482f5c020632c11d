/** Exports of what has ended, and of history: every closed hour once, whenever its ledgers came into the log. */

import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import {
  type ClosedOptions,
  closedPeriods,
  untilInterrupted
} from "../../../src/features/export/ClosedPeriods.ts"
import { openFolder } from "../../../src/features/export/FolderTarget.ts"
import { exportLimits } from "../../../src/features/export/Limits.ts"
import { periodText } from "../../../src/features/export/Periods.ts"
import type { BackfillRange } from "../../../src/spine/domain/Backfill.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { Log, LogReader } from "../../../src/spine/log/Log.ts"
import { memoryLayer } from "../../support/ledger/ingesting.ts"
import { makeFolder } from "../../support/program/makeFolder.ts"
import { exported, FIRST, filesIn, jsonIn, quiet, simulatedLedgers, take, takeHistory } from "./exporting.ts"

/** Ten minutes apart, from noon: six in an hour. */
const ledgers = simulatedLedgers(80, 6, 600)
const index = (place: number) => ({ _tag: "Ledger", index: FIRST + place }) as const
const manifestIn = (folder: string) => jsonIn(join(folder, "network=mainnet/_manifest.json"))

interface Given {
  readonly history?: ReadonlyArray<BackfillRange>
  readonly per?: "day" | "hour"
}

/** Follows in a fiber. `round` waits for the next round and returns the periods that it wrote. */
const following = Effect.fnUntraced(function* (folder: string, given: () => Given = () => ({})) {
  const log = yield* Log
  const rounds = yield* Queue.unbounded<ReadonlyArray<string>>()
  let written: ReadonlyArray<string> = []
  const options = {
    network: "mainnet",
    types: eventTypes,
    format: "ndjson",
    per: given().per ?? "hour",
    from: undefined,
    history: Effect.sync(() => given().history ?? []),
    onPeriod: (period) =>
      Effect.sync(() => {
        written = [...written, periodText(period)]
      }),
    onRound: Effect.suspend(() => {
      const ofRound = written
      written = []
      return Effect.asVoid(Queue.offer(rounds, ofRound))
    })
  } satisfies Omit<ClosedOptions<never, never>, "target">
  const fiber = yield* openFolder(folder, "mainnet").pipe(
    Effect.flatMap((target) => closedPeriods({ ...options, target })),
    Effect.flatMap(untilInterrupted),
    Effect.provideService(LogReader, log),
    Effect.provide(Layer.merge(quiet, NodeServices.layer)),
    Effect.forkScoped
  )
  const poll = TestClock.adjust(exportLimits.pollMs)
  return { round: Queue.take(rounds), poll, stop: Fiber.interrupt(fiber) }
})

describe("events export --follow", () => {
  it.effect(
    "writes each hour once, when a ledger of a later one is in the log, as a later export would",
    () =>
      Effect.gen(function* () {
        const [folder, whole] = [yield* makeFolder, yield* makeFolder]
        yield* take(ledgers.slice(0, 15))
        const first = yield* following(folder)
        assert.deepStrictEqual(yield* first.round, ["2026-11-20 12:00", "2026-11-20 13:00"])
        yield* take(ledgers.slice(15, 18))
        yield* first.poll
        assert.deepStrictEqual(yield* first.round, [])
        yield* take(ledgers.slice(18, 19))
        yield* first.poll
        assert.deepStrictEqual(yield* first.round, ["2026-11-20 14:00"])
        yield* first.stop
        // An outage of seven hours, over midnight.
        yield* take(ledgers.slice(19, 80))
        const second = yield* following(folder)
        const caughtUp = yield* second.round
        assert.deepStrictEqual(
          [caughtUp.length, caughtUp[0], caughtUp.at(-1)],
          [10, "2026-11-20 15:00", "2026-11-21 00:00"]
        )
        yield* exported(whole, { per: "hour", to: index(77) })
        assert.deepStrictEqual(filesIn(folder), filesIn(whole))
      }).pipe(Effect.provide(memoryLayer()), Effect.scoped)
  )

  it.effect("includes history, which a backfill may bring at any time, and exports no ledger twice", () =>
    Effect.gen(function* () {
      const [folder, whole] = [yield* makeFolder, yield* makeFolder]
      yield* take(ledgers.slice(40, 60))
      const fetched = [yield* takeHistory(ledgers.slice(20, 40))]
      let history: ReadonlyArray<BackfillRange> = fetched
      const { poll, round } = yield* following(folder, () => ({ history }))
      // The ledgers 20 to 53: from 15:20 on, and 21:00 has not ended.
      assert.lengthOf(yield* round, 6)
      assert.deepStrictEqual(manifestIn(folder).gaps, [])
      history = [yield* takeHistory(ledgers.slice(0, 20)), ...fetched]
      yield* poll
      // The hour of 15:00 again, with all its ledgers.
      assert.deepStrictEqual(
        yield* round,
        ["12:00", "13:00", "14:00", "15:00"].map((hour) => `2026-11-20 ${hour}`)
      )
      yield* exported(whole, { per: "hour", to: index(53), history })
      assert.deepStrictEqual(filesIn(folder), filesIn(whole))
      const [chain, ...others] = manifestIn(folder).ledgers
      assert.deepInclude(chain, { first_ledger: FIRST, last_ledger: FIRST + 53 })
      assert.deepStrictEqual(others, [])
      // The same ledgers without history, as they would have been taken live.
      const live = yield* makeFolder
      yield* Effect.andThen(take(ledgers.slice(0, 60)), exported(live, { per: "hour", to: index(53) })).pipe(
        Effect.provide(memoryLayer())
      )
      assert.deepStrictEqual(filesIn(live), filesIn(whole))
    }).pipe(Effect.provide(memoryLayer()), Effect.scoped)
  )

  it.effect("keeps the form with which a date began", () =>
    Effect.gen(function* () {
      const folder = yield* makeFolder
      yield* take(ledgers)
      yield* exported(folder, { per: "day", to: index(10) })
      const { round } = yield* following(folder)
      assert.deepStrictEqual(yield* round, ["2026-11-20", "2026-11-21 00:00"])
      const names = Object.keys(filesIn(folder)).filter((path) => path.includes("/type=payment.xrp/"))
      assert.deepStrictEqual(names, [
        "network=mainnet/date=2026-11-20/type=payment.xrp/events.ndjson.gz",
        "network=mainnet/date=2026-11-21/type=payment.xrp/events-00.ndjson.gz"
      ])
      assert.deepStrictEqual(manifestIn(folder).gaps, [])
    }).pipe(Effect.provide(memoryLayer()), Effect.scoped)
  )
})
