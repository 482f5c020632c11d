/** `Retry-After` on a real database and to a real receiver: shown as the attempt's next delay, and kept. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  deliveringLayer,
  makeWebhook,
  queueEvents,
  startDelivering,
  untilAll
} from "../support/delivering.ts"
import { makeReceiver } from "../support/receiver.ts"

describe("a receiver that asks to be left alone", () => {
  it.live("is, and the attempt tells for how long", () =>
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
      const attempts = yield* sql<{ readonly next_delay_ms: number | null; readonly at: number }>`
        SELECT next_delay_ms, (extract(epoch FROM attempted_at) * 1000)::float8 AS at
        FROM attempts WHERE delivery_id = ${id!} ORDER BY attempt`
      assert.deepStrictEqual(
        attempts.map(({ next_delay_ms }) => next_delay_ms),
        [1_000, null]
      )
      assert.isAtLeast(attempts[1]!.at - attempts[0]!.at, 1_000)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )
})
