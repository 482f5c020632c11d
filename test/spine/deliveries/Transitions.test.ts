/** Each statement changes the states that it may change, and leaves all others as they are. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { recordAttempts, recordFirstAttempts } from "../../../src/spine/deliveries/RecordAttempts.ts"
import {
  type AttemptRecord,
  endQueued,
  insertPending,
  insertTest,
  moveToBacklog,
  type NewDelivery,
  retryNow
} from "../../../src/spine/deliveries/Transitions.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { UsedDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook, waitingFor } from "../../support/store/rows.ts"

const ACCOUNT = "acct_1"
const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const LATER = NOW + 60_000

/** A row after one attempt, and the columns that its state has. A pending one is in its second series. */
const states = {
  none: undefined,
  pending: { status: "pending", parked: false, series_start: 1, waits: false },
  "pending, parked": { status: "pending", parked: true, series_start: 1, waits: false },
  retrying: { status: "retrying", parked: false, series_start: 0, waits: true },
  "retrying, parked": { status: "retrying", parked: true, series_start: 0, waits: true },
  delivered: { status: "delivered", parked: false, series_start: 0, waits: false },
  failed: { status: "failed", parked: false, series_start: 0, waits: false }
} as const
type State = keyof typeof states
const stateNames = Object.keys(states) as ReadonlyArray<State>

interface Target {
  readonly id: string
  readonly webhookId: string
}
type Statement = (sql: SqlClient.SqlClient, target: Target) => Effect.Effect<unknown, unknown>

const newDelivery = ({ id, webhookId }: Target): NewDelivery => ({
  id,
  webhookId,
  accountId: ACCOUNT,
  network: "mainnet",
  eventId: "event",
  eventType: "payment.xrp",
  eventOffset: 7
})

const attemptOf = ({ id }: Target, attempt: number, status: AttemptRecord["status"]): AttemptRecord => ({
  deliveryId: id,
  attempt,
  status,
  responseStatus: status === "delivered" ? 200 : 503,
  responseTimeMs: 5,
  responseBody: "body",
  error: status === "delivered" ? null : "HTTP 503",
  attemptedAt: LATER,
  endedAt: LATER + 5,
  nextDelayMs: status === "retrying" ? 1_000 : null
})

type Holds = AttemptRecord["holds"]

const attempted =
  (attempt: number, status: AttemptRecord["status"], holds?: Holds): Statement =>
  (sql, target) =>
    recordAttempts(sql, [{ ...attemptOf(target, attempt, status), holds }], 3)

/** A second row with its id is refused with an error. */
const firstAttempted =
  (status: AttemptRecord["status"], holds?: Holds): Statement =>
  (sql, target) => {
    const attempt = { ...attemptOf(target, 1, status), holds }
    return Effect.exit(recordFirstAttempts(sql, [{ attempt, row: newDelivery(target) }], 3))
  }

/** A statement, and the new state for each state that it may change. It must leave all others unchanged. */
interface Transition {
  readonly name: string
  readonly statement: Statement
  readonly to: Partial<Record<State, State>>
}

const fromQueued = (to: State): Transition["to"] => ({
  pending: to,
  "pending, parked": to,
  retrying: to,
  "retrying, parked": to
})

const transitions: ReadonlyArray<Transition> = [
  {
    name: "insertPending",
    statement: (sql, target) => insertPending(sql, [newDelivery(target)], LATER),
    to: { none: "pending" }
  },
  {
    name: "insertTest",
    // A second row with its id is refused with an error.
    statement: (sql, target) =>
      Effect.exit(insertTest(sql, { ...target, event: eventOf({}) }, ACCOUNT, "mainnet", LATER)),
    to: { none: "pending" }
  },
  ...(["delivered", "retrying", "failed"] as const).map((status) => ({
    name: `the first attempt of a delivery without a row, after which it is ${status}`,
    statement: firstAttempted(status),
    to: { none: status }
  })),
  {
    name: "the next attempt, which delivers",
    statement: attempted(2, "delivered"),
    // Failed: it was ended while this attempt was in flight.
    to: { ...fromQueued("delivered"), failed: "delivered" }
  },
  {
    name: "the next attempt, which another follows",
    statement: attempted(2, "retrying"),
    to: { ...fromQueued("retrying"), failed: "failed" }
  },
  {
    name: "the next attempt, which no other follows",
    statement: attempted(2, "failed"),
    to: { ...fromQueued("failed"), failed: "failed" }
  },
  {
    name: "the first attempt of a delivery without a row, after which it holds back others",
    statement: firstAttempted("retrying", "live"),
    to: { none: "retrying, parked" }
  },
  {
    name: "the next attempt, after which the delivery holds back others",
    statement: attempted(2, "retrying", "replays"),
    to: { ...fromQueued("retrying, parked"), failed: "failed" }
  },
  { name: "the same attempt again, which delivers", statement: attempted(1, "delivered"), to: {} },
  { name: "the same attempt again, which another follows", statement: attempted(1, "retrying"), to: {} },
  { name: "the same attempt again, which no other follows", statement: attempted(1, "failed"), to: {} },
  {
    name: "moveToBacklog",
    statement: (sql, { id }) =>
      Effect.all([1, 2].map((attempt) => moveToBacklog(sql, waitingFor([id], attempt), false))),
    to: { pending: "pending, parked", retrying: "retrying, parked" }
  },
  {
    name: "endQueued",
    statement: (sql, { id }) => endQueued(sql, sql`WHERE id = ${id}`, "webhook deleted", LATER),
    to: fromQueued("failed")
  },
  {
    name: "retryNow",
    statement: (sql, { id }) => retryNow(sql, [id], LATER),
    to: { failed: "pending", retrying: "retrying", "retrying, parked": "retrying, parked" }
  },
  {
    name: "retryNow when the next attempt of the backlog is due already",
    statement: (sql, { id }) => retryNow(sql, [id], LATER + 70_000),
    to: { failed: "pending", retrying: "retrying" }
  }
]

let position = 0

layer(Layer.provideMerge(Partitions.layer, UsedDatabase))("transitions of a delivery", (it) => {
  /** A delivery in that state, of a webhook of its own. */
  const prepare = Effect.fnUntraced(function* (state: State) {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW, NOW))
    yield* insertAccount(ACCOUNT)
    const webhookId = yield* insertWebhook(ACCOUNT)
    const id = deliveryId(NOW, position++, webhookId, "event")
    const row = states[state]
    const at = new Date(NOW).toISOString()
    const dueAt = new Date(LATER + 60_000).toISOString()
    yield* sql`UPDATE webhooks SET consecutive_failures = 1 WHERE id = ${webhookId}`
    if (row !== undefined) {
      yield* sql`
        INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status,
                                attempts, series_start, parked, next_attempt_at, updated_at)
        VALUES (${id}, ${webhookId}, ${ACCOUNT}, 'mainnet', 'event', 'payment.xrp', 7, ${row.status},
                1, ${row.series_start}, ${row.parked}, ${row.waits ? dueAt : null}::timestamptz, ${at}::timestamptz)`
    }
    return { id, webhookId }
  })

  /** Everything that a transition may change. */
  const look = Effect.fnUntraced(function* ({ id, webhookId }: Target) {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{
      readonly status: string
      readonly parked: boolean
      readonly waits: boolean
      readonly series_start: number
      readonly attempts: number
      readonly row: unknown
    }>`
      SELECT status, parked, next_attempt_at IS NOT NULL AS waits, series_start, attempts, to_jsonb(d) AS row
      FROM deliveries d WHERE id = ${id}`
    const beside = yield* sql`
      SELECT (SELECT consecutive_failures FROM webhooks WHERE id = ${webhookId}) AS failures,
             (SELECT count(*)::int FROM attempts WHERE delivery_id = ${id}) AS attempts,
             (SELECT sum(deliveries)::int FROM delivery_usage WHERE account_id = ${ACCOUNT}) AS used`
    return { found: rows[0], everything: JSON.stringify([rows, beside]) }
  })

  const stateOf = (found: { readonly status: string; readonly parked: boolean } | undefined): string =>
    found === undefined ? "none" : `${found.status}${found.parked ? ", parked" : ""}`

  for (const { name, statement, to } of transitions) {
    for (const state of stateNames) {
      const next = to[state]
      it.effect(`${name}: ${state} → ${next ?? "as it was"}`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const target = yield* prepare(state)
          const before = yield* look(target)
          assert.strictEqual(stateOf(before.found), state)
          yield* statement(sql, target)
          const after = yield* look(target)
          if (next === undefined) return assert.strictEqual(after.everything, before.everything)
          assert.notStrictEqual(after.everything, before.everything)
          assert.strictEqual(stateOf(after.found), next)
          // The row has the time of a next attempt only while it waits for one, or was asked for it.
          const isRetried = name.startsWith("retryNow") && state === "failed"
          assert.strictEqual(after.found?.waits, isRetried || after.found?.status === "retrying")
          const again = Effect.andThen(statement(sql, target), look(target))
          assert.strictEqual((yield* again).everything, after.everything)
        })
      )
    }
  }

  it.effect("a new series begins after the attempts that were made", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const target = yield* prepare("failed")
      const retried = yield* retryNow(sql, [target.id], LATER)
      assert.deepStrictEqual(retried, [{ id: target.id, attempt: 2, seriesAttempt: 1 }])
      const { found } = yield* look(target)
      assert.deepInclude(found, { attempts: 1, series_start: 1 })
    })
  )

  it.effect("a retry of a retrying delivery continues its series, and asks for its work once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const target = yield* prepare("retrying")
      const retry = retryNow(sql, [target.id], LATER)
      assert.deepStrictEqual(yield* retry, [{ id: target.id, attempt: 2, seriesAttempt: 2 }])
      assert.deepStrictEqual(yield* retry, [])
      const [row] = yield* sql`
        SELECT series_start, next_attempt_at = updated_at AS due FROM deliveries WHERE id = ${target.id}`
      assert.deepStrictEqual(row, { series_start: 0, due: true })
      // Its attempt fails: the next retry follows the schedule, and may be asked for now as well.
      yield* attempted(2, "retrying")(sql, target)
      assert.deepStrictEqual(yield* retry, [{ id: target.id, attempt: 3, seriesAttempt: 3 }])
    })
  )

  it.effect("endQueued returns how many it ended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const targets = yield* Effect.forEach(stateNames, prepare)
      const ids = targets.map(({ id }) => id)
      const end = endQueued(sql, sql`WHERE id = ANY(${ids}::text[])`, "webhook deleted", LATER)
      assert.strictEqual(yield* end, 4)
      assert.strictEqual(yield* end, 0)
    })
  )
})
