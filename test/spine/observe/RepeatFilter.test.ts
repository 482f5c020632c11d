/** Repeated warnings: one for each window is written, with the number of those left out. */

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { LogError } from "../../../src/spine/log/Log.ts"
import { errorText, layer } from "../../../src/spine/observe/Logging.ts"
import { makeRepeatFilter } from "../../../src/spine/observe/RepeatFilter.ts"
import { retryUntilSuccess } from "../../../src/spine/observe/RetryUntilSuccess.ts"

const REPEATS = { windowMs: 10_000, messages: 1_000 }

describe("a repeated message", () => {
  it("is left out within its window, and counted in the next one", () => {
    const repeats = makeRepeatFilter<string>({ windowMs: 10, messages: 3 })
    assert.deepStrictEqual(
      [0, 1, 9, 10, 11, 40, 41].map((at) => repeats.add("a", "a", at)),
      [0, undefined, undefined, 2, undefined, 1, undefined]
    )
    assert.strictEqual(repeats.add("b", "b", 41), 0, "each kind is its own")
    assert.strictEqual(repeats.add("a", "a", 5), 1, "a clock that was set back hides nothing")
  })

  it("is summed at the end of its window if no other follows", () => {
    const repeats = makeRepeatFilter<string>({ windowMs: 10, messages: 3 })
    repeats.add("a", "first", 0)
    assert.deepStrictEqual(repeats.summaries(10), [], "nothing was left out")
    repeats.add("a", "second", 11)
    repeats.add("a", "third", 12)
    repeats.add("a", "fourth", 20)
    assert.deepStrictEqual(repeats.summaries(20), [])
    assert.deepStrictEqual(repeats.summaries(21), [{ message: "fourth", leftOut: 2 }])
    assert.isUndefined(repeats.add("a", "fifth", 30), "the summary begins a window")
    assert.deepStrictEqual(repeats.summaries(31), [{ message: "fifth", leftOut: 1 }])
    assert.deepStrictEqual(repeats.summaries(99), [])
    assert.strictEqual(repeats.add("a", "sixth", 99), 0)
  })

  it("is written again when too many kinds are remembered", () => {
    const repeats = makeRepeatFilter<string>({ windowMs: 10, messages: 3 })
    for (const kind of ["a", "b", "c", "d"]) assert.strictEqual(repeats.add(kind, kind, 0), 0)
    assert.strictEqual(repeats.add("a", "a", 1), 0)
  })
})

describe("the log of an outage", () => {
  it.effect("has one line of each operation in 10 seconds, however many wait", () =>
    Effect.gen(function* () {
      const away = Effect.fail(
        new LogError({ operation: "append", topic: "webhooks.deliveries", cause: new Error("gone") })
      )
      for (const what of ["queueing retries", "queueing retries", "publishing the outbox"])
        yield* Effect.forkScoped(away.pipe(retryUntilSuccess(what)))
      yield* TestClock.adjust(3 * REPEATS.windowMs - 1)
      const lines = (yield* TestConsole.errorLines).map(String)
      const of = (what: string) => lines.filter((line) => line.includes(what))
      for (const what of ["queueing retries", "publishing the outbox"]) assert.lengthOf(of(what), 3, what)
      assert.match(
        of("publishing")[0]!,
        / failed; retrying: the log failed to append webhooks\.deliveries: gone$/
      )
      assert.match(of("publishing")[1]!, / \(\d+ more in the last 10 s\) repeated=\d+$/)
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ level: "info", format: "pretty", colour: false, repeats: REPEATS }))
    )
  )

  it.effect("has one line of what many requests meet, whatever their callers have sent", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 50; i++)
        yield* Effect.logError("POST /v1/webhooks/:id/test failed", `/v1/webhooks/wh_${i}/test`).pipe(
          Effect.annotateLogs({ requestId: `chosen-${i}` })
        )
      yield* Effect.logError("POST /v1/webhooks failed", "/v1/webhooks")
      const lines = yield* TestConsole.errorLines
      assert.strictEqual(lines.length, 2)
      assert.match(String(lines[0]), /failed: \/v1\/webhooks\/wh_0\/test requestId=chosen-0$/)
    }).pipe(Effect.provide(layer({ level: "info", format: "pretty", colour: false, repeats: REPEATS })))
  )

  it("names what failed, also where no topic is known", () => {
    const text = (topic: string) =>
      errorText(new LogError({ operation: "append", topic, cause: new Error("gone") }))
    assert.strictEqual(text("webhooks.config"), "the log failed to append webhooks.config: gone")
    assert.strictEqual(text(""), "the log failed to append: gone")
  })

  it.effect.skipIf(process.platform !== "linux")("says that a disk is full, in the system's words", () =>
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const full = yield* fileSystem.open("/dev/full", { flag: "w" })
      const error = yield* Effect.flip(full.writeAll(new Uint8Array(1)))
      assert.strictEqual(errorText(error), "ENOSPC: no space left on device, write")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
