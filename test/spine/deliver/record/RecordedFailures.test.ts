/**
 * A webhook's consecutive failures are counted in the order in which its attempts ended, whether or not its deliveries
 * have rows. The recorder and the database are real.
 */

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeSeededRandom, type SeededRandom } from "../../../../src/features/simulator/SeededRandom.ts"
import { DeliverLimits } from "../../../../src/spine/deliver/Limits.ts"
import { type Outcome, Recorder } from "../../../../src/spine/deliver/record/Recorder.ts"
import type { Work } from "../../../../src/spine/deliver/Work.ts"
import { DeliveryStore } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import type { AttemptRecord, NewDelivery } from "../../../../src/spine/deliveries/Transitions.ts"
import { deliveryId, randomId } from "../../../../src/spine/words/Ids.ts"
import { deliveringLayer, eventually, makeWebhook } from "../../../support/deliver/delivering.ts"
import { attemptOf, NOW } from "../../../support/deliver/deliveryRows.ts"
import { eventOf } from "../../../support/deliver/events.ts"

const DISABLE_AFTER = 5
const ACCOUNT = "acct_1"
type Status = AttemptRecord["status"]

let position = 0
const newDelivery = (webhookId: string): NewDelivery => ({
  id: deliveryId(NOW, position++, webhookId, "event"),
  webhookId,
  accountId: ACCOUNT,
  network: "mainnet",
  eventId: "event",
  eventType: "payment.xrp",
  eventOffset: 7
})

/** A delivery whose attempt ended, and whether it has a row before. */
interface Ended {
  readonly row: NewDelivery
  readonly status: Status
  readonly hasRow: boolean
  readonly endedAt: number
  readonly batchId?: string
}

const failuresOf = (webhookIds: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(webhookIds, (id) =>
      Effect.map(
        sql`SELECT status, consecutive_failures, failed_attempts, failing_since FROM webhooks WHERE id = ${id}`,
        ([found]) => found
      )
    )
  )

/** Records all of them in one batch. */
const recordAll = Effect.fnUntraced(function* (ended: ReadonlyArray<Ended>) {
  const recorder = yield* Recorder
  const store = yield* DeliveryStore
  yield* store.insertPending(
    ended.flatMap(({ hasRow, row }) => (hasRow ? [row] : [])),
    NOW
  )
  let settled = 0
  const outcomes = ended.map(({ batchId, endedAt, hasRow, row, status }): Outcome => {
    const work: Work = {
      key: `${row.id} 1`,
      deliveryId: row.id,
      attempt: 1,
      seriesAttempt: 1,
      event: eventOf({}),
      ...(hasRow ? {} : { row }),
      kind: "live",
      acknowledge: () => undefined,
      queuedAt: 0,
      wasFree: false
    }
    const attempt = {
      ...attemptOf(row.id, 1, status, 5),
      endedAt,
      ...(batchId === undefined
        ? {}
        : { details: { connectMs: 1, firstByteMs: 2, totalMs: 5, responseHeaders: null, batchId } })
    }
    return { attempt, accountId: ACCOUNT, webhookId: row.webhookId, work }
  })
  const requests = Map.groupBy(outcomes, ({ attempt }) => attempt.details?.batchId ?? attempt.deliveryId)
  for (const request of requests.values())
    recorder.record(request, () => {
      settled += request.length
    })
  yield* eventually(Effect.sync(() => assert.strictEqual(settled, ended.length)))
})

const randomStatuses = (chance: SeededRandom) =>
  Array.from(
    { length: chance.int(1, 12) },
    (): Status => chance.pick(["delivered", "retrying", "failed", "failed"])
  )

it.live("a webhook's failures are counted in their order, also if some of its deliveries have rows", () =>
  Effect.gen(function* () {
    const store = yield* DeliveryStore
    const chance = makeSeededRandom(40)
    for (let round = 0; round < 25; round++) {
      // The same attempts of three webhooks, of whose deliveries all, some and none have rows.
      const webhooks = yield* Effect.replicateEffect(makeWebhook("https://a.example/"), 3)
      for (let batch = 0; batch < 3; batch++) {
        const statuses = randomStatuses(chance)
        const hasRows = [() => true, () => chance.flip(0.5), () => false]
        const ended = statuses.flatMap((status, n) =>
          webhooks.map(
            (webhookId, i): Ended => ({
              row: newDelivery(webhookId),
              status,
              hasRow: hasRows[i]!(),
              endedAt: NOW + n
            })
          )
        )
        yield* recordAll(ended)
        const states = yield* store.states(ended.map(({ row }) => row.id))
        for (const { row, status } of ended)
          assert.deepInclude(states.get(row.id), { status, attempts: 1 }, "every attempt is recorded")
        const [all, ...others] = yield* failuresOf(webhooks)
        for (const found of others) assert.deepStrictEqual(found, all, `round ${round}: ${statuses}`)
      }
    }
  }).pipe(Effect.scoped, Effect.provide(deliveringLayer({ DISABLE_AFTER_FAILURES: "1000" })))
)

it.live("a webhook is disabled by failures of deliveries with and without rows together", () =>
  Effect.gen(function* () {
    const webhook = yield* makeWebhook("https://a.example/")
    const failed = Array.from(
      { length: DISABLE_AFTER },
      (_, i): Ended => ({
        row: newDelivery(webhook),
        status: "failed",
        hasRow: i % 2 === 0,
        endedAt: NOW + i
      })
    )
    yield* recordAll(failed)
    const [found] = yield* failuresOf([webhook])
    assert.deepInclude(found, { status: "disabled", consecutive_failures: DISABLE_AFTER })
  }).pipe(Effect.scoped, Effect.provide(deliveringLayer({ DISABLE_AFTER_FAILURES: String(DISABLE_AFTER) })))
)

it.live(
  "a failed batch counts as one request, also if it does not fit into the statement that it begins",
  () =>
    Effect.gen(function* () {
      const [webhook, other] = yield* Effect.replicateEffect(makeWebhook("https://a.example/"), 2)
      const limits = yield* DeliverLimits
      const before = Array.from(
        { length: limits.rowsAtOnce - 1 },
        (): Ended => ({ row: newDelivery(other!), status: "delivered", hasRow: false, endedAt: NOW })
      )
      const batchId = randomId("bat_", NOW)
      const batch = Array.from(
        { length: 3 },
        (): Ended => ({
          row: newDelivery(webhook!),
          status: "failed",
          hasRow: false,
          endedAt: NOW,
          batchId
        })
      )
      yield* recordAll([...before, ...batch])
      const [found] = yield* failuresOf([webhook!])
      assert.deepInclude(found, { failed_attempts: 1, consecutive_failures: 3 })
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer({ DISABLE_AFTER_FAILURES: "1000" })))
)
