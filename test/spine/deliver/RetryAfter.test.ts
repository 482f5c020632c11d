/** `Retry-After` on a real database and to a real receiver: shown as the attempt's next delay, and respected. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  deliveringLayer,
  makeWebhook,
  queueEvents,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"

describe("a receiver that answers with Retry-After", () => {
  it.live("gets the next attempt after that time, and the attempt shows it", () =>
    Effect.gen(function* () {
      let refused = false
      const asking = yield* makeReceiver((_, response) => {
        if (refused) return 200
        refused = true
        response.writeHead(429, { "retry-after": "1" }).end()
        return "handled"
      })
      yield* startDelivering
      const [id] = yield* queueEvents(yield* makeWebhook(asking.url), 1)
      yield* untilAll([id!], "delivered")
      const sql = yield* SqlClient.SqlClient
      const attempts = yield* sql<{ readonly next_delay_ms: number; readonly waited_ms: number }>`
        SELECT next_delay_ms, (extract(epoch FROM d.attempted_at - a.attempted_at) * 1000)::float8 AS waited_ms
        FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.id = ${id!}`
      assert.deepStrictEqual(
        attempts.map(({ next_delay_ms }) => next_delay_ms),
        [1_000]
      )
      assert.isAtLeast(attempts[0]!.waited_ms, 1_000)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )
})
