/** Each situation is recorded in PostgreSQL, as the recorder and the API record it, and shows the state and the sentence. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { readHealth } from "../../../src/features/webhooks/WebhookHealthQueries.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { insertTest, type NewDelivery } from "../../../src/spine/deliveries/Transitions.ts"
import { healthStates } from "../../../src/spine/domain/HealthState.ts"
import { randomId } from "../../../src/spine/words/Ids.ts"
import { NOW, newDelivery, OWNER, prepare } from "../../support/deliver/deliveryRows.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { attemptsOf } from "../../support/deliver/requests.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"
import { type Step, situations } from "./situations.ts"

const DISABLE_AFTER = 1_000
const msOf = (second: number) => NOW + Math.round(second * 1_000)

/** Records the steps of one webhook, one by one. */
const makePlay = (webhookId: string) => {
  const rows = new Map<string, { readonly row: NewDelivery; attempts: number }>()
  return Effect.fnUntraced(function* (step: Step) {
    const store = yield* DeliveryStore
    const webhooks = yield* WebhookStore
    const sql = yield* SqlClient.SqlClient
    const now = msOf(step.at)
    if ("does" in step) {
      const made = newDelivery(webhookId, now, "payment.xrp")
      switch (step.does) {
        case "enable":
          return yield* Effect.asVoid(webhooks.change(OWNER, webhookId, { status: "active" }, now))
        case "disable":
          return yield* Effect.asVoid(webhooks.change(OWNER, webhookId, { status: "disabled" }, now))
        case "pause":
        case "send again": {
          const paused = step.does === "pause"
          return yield* Effect.asVoid(webhooks.change(OWNER, webhookId, { paused }, now))
        }
        case "delete":
          return yield* Effect.asVoid(webhooks.remove(OWNER, webhookId, now))
        case "queue":
          // As an actor does with what has waited for a second.
          return yield* store.moveToBacklog([{ deliveryId: made.id, attempt: 1, row: made }], "live")
        case "suspend":
        case "resume":
          return yield* Effect.asVoid(sql`
            UPDATE accounts SET suspended_at = ${step.does === "suspend" ? new Date(now) : null}
            WHERE id = ${made.accountId}`)
        case "test fails": {
          yield* insertTest(
            sql,
            { id: made.id, webhookId, event: eventOf({}) },
            made.accountId,
            "mainnet",
            now
          )
          const [failed] = attemptsOf({ deliveries: [{ row: made, result: "retrying" }], endedAt: now })
          return yield* Effect.asVoid(store.record([failed!.attempt], DISABLE_AFTER))
        }
      }
    }
    const deliveries = step.sends.map((name) => {
      const known = rows.get(name) ?? { row: newDelivery(webhookId, now, "payment.xrp"), attempts: 0 }
      rows.set(name, { ...known, attempts: known.attempts + 1 })
      return { row: known.row, result: step.result, attempt: known.attempts + 1 }
    })
    const attempts = attemptsOf({
      ...step,
      deliveries,
      endedAt: now,
      ...(deliveries.length > 1 ? { batchId: randomId("bat_", now) } : {})
    })
    if (deliveries.every(({ attempt }) => attempt === 1)) yield* store.recordFirst(attempts, DISABLE_AFTER)
    else
      yield* store.record(
        attempts.map(({ attempt }) => attempt),
        DISABLE_AFTER
      )
  })
}

layer(DeliveriesLive)("the health of a webhook", (it) => {
  for (const { incidents, name, shows, steps } of situations)
    it.effect(name, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const webhooks = yield* WebhookStore
        const [id] = yield* prepare(1)
        yield* sql`UPDATE webhooks SET created_at = ${new Date(NOW)} WHERE id = ${id!}`
        const play = makePlay(id!)
        const moments = [
          ...steps.map((step) => ({ at: step.at, run: play(step) })),
          ...shows.map((shown) => ({
            at: shown.at,
            run: Effect.gen(function* () {
              yield* TestClock.setTime(msOf(shown.at))
              const health = (yield* readHealth([id!])).get(id!)!
              assert.strictEqual(health.state, shown.state, `at ${shown.at} s`)
              assert.match(health.sentence, shown.sentence)
              if (shown.sinceS !== undefined) assert.strictEqual(health.since, msOf(shown.sinceS))
              if (shown.isScheduled !== undefined)
                assert.strictEqual(health.nextAttemptAt !== null, shown.isScheduled)
              if (shown.failed !== undefined) assert.strictEqual(health.attemptsFailedInARow, shown.failed)
              // The list finds it in this state and in no other.
              for (const state of healthStates) {
                const filter = {
                  status: undefined,
                  search: id,
                  network: undefined,
                  eventType: undefined,
                  sort: "created_at",
                  after: undefined
                } as const
                const found = yield* webhooks.list(OWNER, { ...filter, health: state }, msOf(shown.at), 10)
                assert.lengthOf(found, state === shown.state ? 1 : 0, `${state} at ${shown.at} s`)
              }
            })
          }))
        ].sort((one, other) => one.at - other.at)
        for (const { run } of moments) yield* run
        const found = yield* sql<{
          readonly began: number
          readonly ended: number | null
          readonly by: string | null
        }>`
          SELECT (extract(epoch FROM began_at) * 1000)::float8 AS began,
                 (extract(epoch FROM ended_at) * 1000)::float8 AS ended, ended_by AS by
          FROM incidents WHERE webhook_id = ${id!} ORDER BY id`
        assert.deepStrictEqual(
          found.map(({ began, by, ended }) => [began, ended, by]),
          incidents.map(([begins, ends, by]) => [msOf(begins), ends === null ? null : msOf(ends), by])
        )
      })
    )
})
