/** Gaps of webhooks: opened and closed with what causes them, as wide as what was not queued, and bounded. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { makeGapSweep } from "../../../src/features/progress/GapUpkeep.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { gapReasons } from "../../../src/spine/domain/HealthState.ts"
import { eventsTopic, ledgersTopic } from "../../../src/spine/event/LedgerEvent.ts"
import { Log, LogError } from "../../../src/spine/log/Log.ts"
import { makeGapStore } from "../../../src/spine/registry/GapStore.ts"
import { forgetEnded } from "../../../src/spine/store/EndedRows.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { storesLayer } from "../../support/http/api.ts"
import { insertWebhook } from "../../support/store/rows.ts"
import { appendLedgers, isoSecond } from "../replay/replaying.ts"

const DAY_MS = 86_400_000
let index = 1_000
/** Takes a ledger with an event, and routes it unless told otherwise. */
const takeLedger = Effect.fnUntraced(function* (isRouted = true) {
  const log = yield* Log
  const closeTime = isoSecond(1_760_000_000_000 + ++index * 4_000)
  yield* appendLedgers([
    { index, closeTime, events: [eventOf({ ledgerIndex: index, timestamp: closeTime })] }
  ])
  const position = { topic: eventsTopic("mainnet"), partition: 0 }
  const { end: offset } = yield* log.offsets(position)
  if (isRouted)
    yield* log.transaction({ append: [], commit: { group: "route", positions: [{ ...position, offset }] } })
  return index
})

const prepare = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const now = yield* Clock.currentTimeMillis
  const accountId = yield* accounts.create({ name: "test", email: null, plan: "enterprise" }, now)
  const id = yield* insertWebhook(accountId)
  const gaps = yield* makeGapStore
  const owner = { accountId, networks: ["mainnet"] } as const
  // Times are those of the database.
  const listed = Effect.map(gaps.list(id), (all) => all.map(({ from, reason, to }) => ({ from, to, reason })))
  return { accountId, accounts, gaps: listed, id, owner }
})

const world = storesLayer({ XRPL_MAINNET_URLS: "ws://127.0.0.1:1", XRPL_TESTNET_URLS: "ws://127.0.0.1:1" })

layer(Layer.fresh(world))("gaps of webhooks", (it) => {
  it.effect(
    "begin after what was routed when a webhook is disabled, and end two passes after it is enabled",
    () =>
      Effect.gen(function* () {
        const { gaps, id, owner } = yield* prepare
        const webhooks = yield* WebhookStore
        const sweep = yield* makeGapSweep
        const queued = yield* takeLedger()
        yield* sweep
        yield* takeLedger(false)
        yield* webhooks.change(owner, id, { status: "disabled" }, 1)
        yield* webhooks.change(owner, id, { description: "still disabled" }, 2)
        const open = { from: queued + 1, to: null, reason: "disabled" as const }
        assert.deepStrictEqual(yield* gaps, [open])
        yield* sweep
        yield* webhooks.change(owner, id, { status: "active" }, 3)
        // It was taken before route knew of the change.
        const missed = yield* takeLedger()
        yield* sweep
        assert.deepStrictEqual(yield* gaps, [open])
        yield* sweep
        assert.deepStrictEqual(yield* gaps, [{ ...open, to: missed }])
        // Nothing came while it was disabled, and nothing until the end is known.
        yield* webhooks.change(owner, id, { status: "disabled" }, 4)
        yield* webhooks.change(owner, id, { status: "active" }, 5)
        yield* Effect.andThen(sweep, sweep)
        assert.lengthOf(yield* gaps, 1)
      })
  )

  it.effect("are kept while the log of another network cannot be read, and the pass says so", () =>
    Effect.gen(function* () {
      const { gaps, id, owner } = yield* prepare
      const webhooks = yield* WebhookStore
      const log = yield* Log
      const cause = new Error("this partition has no leader")
      const last: typeof log.last = (partition) =>
        partition.topic === ledgersTopic("testnet")
          ? Effect.fail(new LogError({ operation: "read", topic: partition.topic, cause }))
          : log.last(partition)
      const sweep = yield* Effect.provideService(makeGapSweep, Log, { ...log, last })
      const failing = Effect.flip(sweep)
      const queued = yield* takeLedger()
      yield* failing
      yield* webhooks.change(owner, id, { status: "disabled" }, 1)
      const missed = yield* takeLedger()
      yield* failing
      yield* webhooks.change(owner, id, { status: "active" }, 2)
      yield* failing
      assert.strictEqual((yield* failing)._tag, "LogError")
      assert.deepStrictEqual(yield* gaps, [{ from: queued + 1, to: missed, reason: "disabled" as const }])
    })
  )

  it.effect("are those of an account's suspension, also of the shortest", () =>
    Effect.gen(function* () {
      const { accountId, accounts, gaps } = yield* prepare
      const sweep = yield* makeGapSweep
      const queued = yield* takeLedger()
      yield* sweep
      yield* accounts.change(accountId, { suspended: true }, 1)
      yield* accounts.change(accountId, { suspended: true }, 2)
      yield* accounts.change(accountId, { suspended: false }, 3)
      const missed = yield* takeLedger()
      yield* Effect.andThen(sweep, sweep)
      assert.deepStrictEqual(yield* gaps, [{ from: queued + 1, to: missed, reason: "suspended" }])
    })
  )

  it.effect(
    "begin with the position before the quota was seen to be used up, also if it ends with its month",
    () =>
      Effect.gen(function* () {
        const { accountId, accounts, gaps } = yield* prepare
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.setTime(Date.parse("2026-10-31T23:59:55Z"))
        const sweep = yield* makeGapSweep
        const queued = yield* takeLedger()
        yield* sweep
        yield* takeLedger()
        yield* accounts.change(accountId, { own: { monthlyDeliveries: 10 } }, 1)
        yield* sql`INSERT INTO delivery_usage (account_id, month, deliveries) VALUES (${accountId}, '2026-10-01', 10)`
        yield* TestClock.adjust("10 seconds")
        const missed = yield* takeLedger()
        yield* Effect.andThen(sweep, sweep)
        assert.deepStrictEqual(yield* gaps, [{ from: queued + 1, to: missed, reason: "quota" }])

        // It is used up, and raised, between two passes.
        yield* sql`INSERT INTO delivery_usage (account_id, month, deliveries) VALUES (${accountId}, '2026-11-01', 10)`
        const now = yield* Clock.currentTimeMillis
        yield* accounts.change(accountId, { own: { monthlyDeliveries: 1_000 } }, now)
        const last = yield* takeLedger()
        yield* Effect.andThen(sweep, sweep)
        assert.deepStrictEqual((yield* gaps)[1], { from: missed + 1, to: last, reason: "quota" })
      })
  )

  it.effect("may have each reason of the contract", () =>
    Effect.gen(function* () {
      const { gaps, id } = yield* prepare
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO webhook_gaps (webhook_id, reason, began_at, ended_at, from_ledger, to_ledger)
        SELECT ${id}, reason, now(), now(), 1, 2 FROM unnest(${[...gapReasons]}::text[]) AS known (reason)`
      assert.deepStrictEqual(
        (yield* gaps).map(({ reason }) => reason),
        gapReasons.toSorted()
      )
    })
  )

  it.effect("are kept for 400 days, and the newest 100 of a webhook", () =>
    Effect.gen(function* () {
      const { gaps, id } = yield* prepare
      const sql = yield* SqlClient.SqlClient
      const now = Date.parse("2026-11-21T00:00:00Z")
      yield* sql`
        INSERT INTO webhook_gaps (webhook_id, reason, began_at, ended_at, from_ledger, to_ledger)
        SELECT ${id}, 'disabled', at, at, n, n FROM (
          SELECT n, ${new Date(now)} - n * interval '4 days' AS at FROM generate_series(1, 101) AS n
          UNION ALL SELECT 1000 + n, ${new Date(now)} - n * interval '1 hour' FROM generate_series(1, 90) AS n
        ) AS made`
      yield* forgetEnded(30 * DAY_MS, now)
      const kept = yield* gaps
      assert.lengthOf(kept, 100)
      assert.deepStrictEqual([kept[0]!.from, kept.at(-1)!.from], [10, 1_001])
    })
  )
})
