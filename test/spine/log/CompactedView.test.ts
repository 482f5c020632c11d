/** Following a compacted topic: newest values, deletions, unreadable records, and `caughtUp`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as CompactedView from "../../../src/spine/log/CompactedView.ts"
import { Log, type NewRecord } from "../../../src/spine/log/Log.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../support/program/settings.ts"

const TOPIC = "webhooks.config"
const Live = Layer.provide(MemoryLog.layer, settingsLayer())
const record = (key: string, value: string | null): NewRecord => ({ topic: TOPIC, key, value })

const view = Effect.gen(function* () {
  const applied: Array<readonly [string, number | null]> = []
  const aside: Array<string> = []
  const { caughtUp } = yield* CompactedView.follow(
    TOPIC,
    (key, value) => {
      if (value === "wrong") return Result.fail("not a number")
      applied.push([key, value === null ? null : (JSON.parse(value) as number)])
      return Result.void
    },
    (unreadable) =>
      Effect.sync(
        () => void aside.push(...unreadable.map(({ record: { key, offset } }) => `${key}@${offset}`))
      )
  )
  return { caughtUp, applied, aside }
})

describe("compacted view", () => {
  it.effect("has the newest value of each key once it has caught up, whatever compaction has dropped", () =>
    Effect.gen(function* () {
      const log = yield* Log
      yield* log.transaction({
        append: [record("a", "1"), record("b", "1"), record("a", "2"), record("c", "1"), record("c", "2")]
      })
      yield* log.applyRetention
      const { applied, caughtUp } = yield* view
      yield* caughtUp
      assert.deepStrictEqual(Object.fromEntries(applied), { a: 2, b: 1, c: 2 })
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("follows later changes and deletions, in order", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const { applied, caughtUp } = yield* view
      yield* caughtUp
      yield* log.transaction({ append: [record("a", "1"), record("b", "1")] })
      yield* log.transaction({ append: [record("a", null)] })
      yield* caughtUp
      assert.deepStrictEqual(applied, [
        ["a", 1],
        ["b", 1],
        ["a", null]
      ])
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.effect("leaves out records that cannot be decoded and reports them, also if the decoder throws", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const { applied, caughtUp, aside } = yield* view
      yield* log.transaction({ append: [record("a", "wrong"), record("b", "{"), record("c", "3")] })
      yield* caughtUp
      assert.deepStrictEqual(aside, ["a@0", "b@1"])
      assert.deepStrictEqual(applied, [["c", 3]])
    }).pipe(Effect.scoped, Effect.provide(Live))
  )
})
