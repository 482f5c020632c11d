/** What retry jobs select, by seed. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { countRetryable, retryablePage } from "../../../src/features/replay/Retryable.ts"
import { makeSeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import type { RetryFilters } from "../../../src/spine/domain/Replay.ts"
import { type EventType, eventTypes } from "../../../src/spine/event/EventType.ts"
import { types } from "../../support/deliver/events.ts"
import { ACCOUNT, replayingLayer } from "./replaying.ts"
import { attempted, type MadeDelivery, makeDeliveries } from "./retrying.ts"

const naive = (made: ReadonlyArray<MadeDelivery>, filters: RetryFilters) =>
  made.filter(
    ({ createdMs, event, status }) =>
      filters.statuses.some((one) => one === status) &&
      (filters.event_types ?? eventTypes).includes(event.event_type) &&
      createdMs > (filters.since ?? 0) &&
      createdMs < (filters.until ?? Number.POSITIVE_INFINITY)
  )

/** Compares what retry jobs select with a naive search of all rows, for seeded random data, in the totals or not. */
export const retryableTests = (seeds: ReadonlyArray<number>) => {
  for (const seed of seeds)
    it.live(
      `seed ${seed}: counts and pages hold exactly the deliveries that match`,
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const chance = makeSeededRandom(seed)
          const statuses = ["failed", "retrying", "delivered", "pending"] as const
          // The rows cover an hour and a half, with gaps of many minutes without a match.
          const { webhookId, made } = yield* makeDeliveries(
            400,
            (i) => (Math.floor(i / 60) % 2 === 0 ? chance.pick(statuses) : "delivered"),
            { seed, stepMs: 13_000 }
          )
          yield* foldChanges
          // Some rows change after that, and the totals do not include these changes yet.
          const changed = new Map(
            made
              .filter(({ status }) => status === "retrying" && chance.flip(0.3))
              .map(({ id }) => [id, chance.pick(["delivered", "failed"] as const)])
          )
          for (const [id, status] of changed) yield* attempted(id, 2, status)
          const now = made.map((one) => ({ ...one, status: changed.get(one.id) ?? one.status }))
          const target = { webhookId, accountId: ACCOUNT, network: "mainnet" as const }

          for (let round = 0; round < 25; round++) {
            const bound = () => made[chance.int(0, made.length - 1)]!.createdMs + chance.pick([-0.5, 0, 0.5])
            const filters: RetryFilters = {
              statuses: chance.pick([["failed"], ["retrying"], ["failed", "retrying"]]),
              ...(chance.flip(0.5) ? { event_types: [chance.pick<EventType>(types), "nft.minted"] } : {}),
              ...(chance.flip(0.6) ? { since: bound() } : {}),
              ...(chance.flip(0.6) ? { until: bound() } : {})
            }
            const expected = naive(now, filters)
            const counts = yield* countRetryable(sql, target, filters)
            const byType = Map.groupBy(expected, ({ event }) => event.event_type)
            assert.deepStrictEqual(
              [Object.fromEntries(counts.byType), counts.matched, counts.atLeast],
              [
                Object.fromEntries([...byType].map(([type, some]) => [type, some.length])),
                expected.length,
                false
              ],
              JSON.stringify(filters)
            )
            const found: Array<string> = []
            const limit = chance.int(1, 40)
            let from = ""
            for (let done = false; !done; ) {
              const page = yield* retryablePage(sql, target, filters, from, limit)
              assert.isAtMost(page.deliveries.length, limit)
              found.push(...page.deliveries.map(({ id }) => id))
              from = page.nextId
              done = page.done
            }
            assert.deepStrictEqual(
              found,
              expected.map(({ id }) => id),
              JSON.stringify(filters)
            )
          }
        }).pipe(Effect.scoped, Effect.provide(replayingLayer)),
      60_000
    )
}
