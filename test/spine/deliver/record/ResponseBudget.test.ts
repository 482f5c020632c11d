/** Long responses of an account are cut once they have used up what is stored for it in a day. */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { deliverLimits } from "../../../../src/spine/deliver/Limits.ts"
import { Recorder } from "../../../../src/spine/deliver/record/Recorder.ts"
import { makeResponseBudget } from "../../../../src/spine/deliver/record/ResponseBudget.ts"
import { DeliveryStore } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import type { AttemptRecord } from "../../../../src/spine/deliveries/Transitions.ts"
import { DisableWebhooks } from "../../../../src/spine/registry/DisableWebhooks.ts"
import { event } from "../../../support/deliver/sending.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"

const DAY_MS = 86_400_000
const CUT = /^a{200}… \[cut at 200 characters: .*\]$/

const attempt = (
  responseBody: string | null,
  endedAt = 0,
  headers: Record<string, string> = {}
): AttemptRecord => ({
  deliveryId: "dlv_1",
  attempt: 1,
  status: "failed",
  responseStatus: 503,
  responseTimeMs: 1,
  responseBody,
  error: "HTTP 503",
  details: { connectMs: 1, firstByteMs: 1, totalMs: 1, responseHeaders: headers },
  attemptedAt: endedAt,
  endedAt,
  nextDelayMs: null
})

const budget = () => makeResponseBudget({ bytes: 1_000, shortCharacters: 200 })
const bodyOf = ({ responseBody }: AttemptRecord) => responseBody

describe("long responses", () => {
  it("are cut for the rest of the day once their account has used up its bytes, and others are not", () => {
    const stored = budget()
    const long = "a".repeat(400)
    assert.deepStrictEqual(
      [1, 2].map(() => bodyOf(stored("acct_1", attempt(long)))),
      [long, long]
    )
    assert.match(bodyOf(stored("acct_1", attempt(long)))!, CUT)
    assert.strictEqual(bodyOf(stored("acct_2", attempt(long))), long)
    assert.match(bodyOf(stored("acct_1", attempt(long, DAY_MS - 1)))!, CUT)
    assert.strictEqual(bodyOf(stored("acct_1", attempt(long, DAY_MS))), long)
  })

  it("are counted in bytes, with their headers, which are cut too", () => {
    const stored = budget()
    const headers = { "x-short": "kept", "x-long": "b".repeat(2_000) }
    assert.match(bodyOf(stored("acct_1", attempt("a".repeat(400), 0, headers)))!, CUT)
    assert.deepStrictEqual(stored("acct_1", attempt("", 0, headers)).details?.responseHeaders, {
      "x-short": "kept"
    })
    assert.isBelow(bodyOf(stored("acct_1", attempt("ü".repeat(501))))!.length, 400)
  })

  it("do not concern short ones, which neither count nor change", () => {
    const stored = budget()
    for (let i = 0; i < 100; i++) {
      for (const body of ["a".repeat(200), "", null]) {
        const short = attempt(body, 0, { server: "nginx" })
        assert.strictEqual(stored("acct_1", short), short)
      }
    }
    const long = "a".repeat(900)
    assert.strictEqual(bodyOf(stored("acct_1", attempt(long))), long)
    assert.strictEqual(bodyOf(stored("acct_1", attempt("a".repeat(200)))), "a".repeat(200))
  })

  it.effect("are cut before they are recorded, for all webhooks of the account together", () => {
    const written: Array<string | null> = []
    const record = (attempts: ReadonlyArray<AttemptRecord>) =>
      Effect.sync(() => void written.push(...attempts.map(bodyOf))).pipe(Effect.as([]))
    const stores = Layer.mergeAll(
      Layer.mock(DeliveryStore)({ record, insertPending: () => Effect.succeed(new Set()) }),
      Layer.succeed(DisableWebhooks, () => Effect.succeed([]))
    )
    const work = {
      key: "dlv_1 1",
      deliveryId: "dlv_1",
      attempt: 1,
      seriesAttempt: 1,
      event,
      kind: "live" as const,
      acknowledge: undefined,
      queuedAt: 0,
      wasFree: false
    }
    return Effect.gen(function* () {
      const recorder = yield* Recorder
      const limit = deliverLimits.longResponses.bytes
      const size = limit / 4
      for (let i = 0; i < 5; i++) {
        const outcome = {
          attempt: attempt("a".repeat(size)),
          accountId: "acct_1",
          webhookId: `wh_${i}`,
          work
        }
        recorder.record([outcome], () => undefined)
      }
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(
        written.slice(0, 4).map((body) => body?.length),
        [size, size, size, size]
      )
      assert.match(written[4]!, CUT)
    }).pipe(
      Effect.provide(
        Recorder.layer.pipe(Layer.provide([stores, MemoryLog.layer]), Layer.provide(settingsLayer()))
      )
    )
  })
})
