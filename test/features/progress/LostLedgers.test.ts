/** What the events topic lost: named once, and a gap of each webhook that misses it. A topic made again is another log. */
import { assert, layer } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { NoticeStore } from "../../../src/features/health/notify/NoticeStore.ts"
import { noticeTypes } from "../../../src/features/health/notify/Notices.ts"
import { makeGapSweep } from "../../../src/features/progress/GapUpkeep.ts"
import { eventsTopic } from "../../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { makeGapStore } from "../../../src/spine/registry/GapStore.ts"
import { readLostLedgers } from "../../../src/spine/registry/LostLedgers.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { storesLayer } from "../../support/http/api.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { insertWebhook } from "../../support/store/rows.ts"
import { appendLedgers, isoSecond } from "../replay/replaying.ts"

const place = { topic: eventsTopic("mainnet"), partition: 0 }
const HOUR_MS = 3_600_000

/** Takes ledgers, each with an event. */
const take = (from: number, to: number) =>
  appendLedgers(
    Array.from({ length: to - from + 1 }, (_, i) => {
      const closeTime = isoSecond(1_760_000_000_000 + (from + i) * 4_000)
      return {
        index: from + i,
        closeTime,
        events: [eventOf({ ledgerIndex: from + i, timestamp: closeTime })]
      }
    })
  )

/** Routes what there is. */
const routeAll = Effect.gen(function* () {
  const log = yield* Log
  const { end: offset } = yield* log.offsets(place)
  yield* log.transaction({ append: [], commit: { group: "route", positions: [{ ...place, offset }] } })
})

const sweep = Effect.flatten(makeGapSweep)

/** Another log under the same database, as if every topic was deleted and made again. */
const onNewLog = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Layer.build(Layer.fresh(MemoryLog.layer)), (made) =>
    Effect.provideService(effect, Log, Context.get(made, Log))
  )

const prepare = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM lost_ledgers`
  yield* sql`DELETE FROM log_places`
  yield* sql`DELETE FROM routed_ledgers`
  yield* sql`DELETE FROM processes`
  const now = yield* Clock.currentTimeMillis
  const accountId = yield* accounts.create({ name: "test", email: null, plan: "enterprise" }, now)
  const id = yield* insertWebhook(accountId)
  const gaps = yield* makeGapStore
  const listed = (webhookId = id) =>
    Effect.map(gaps.list(webhookId), (all) => all.map(({ from, reason, to }) => ({ from, to, reason })))
  return { accountId, id, listed, sql }
})

const world = storesLayer({ XRPL_MAINNET_URLS: "ws://127.0.0.1:1" })

layer(Layer.fresh(world))("ledgers that the log lost", (it) => {
  it.effect("are a gap of each webhook that misses them, once, with a notice", () =>
    Effect.gen(function* () {
      const { accountId, id, listed, sql } = yield* prepare
      const notices = yield* NoticeStore
      yield* notices.set(
        accountId,
        { url: "https://example.com", format: "slack", types: noticeTypes, sealedSecret: null },
        1
      )
      yield* onNewLog(
        Effect.gen(function* () {
          yield* take(101, 105)
          yield* routeAll
          yield* sweep
          yield* take(106, 107)
        })
      )
      yield* onNewLog(
        Effect.gen(function* () {
          // Nobody knows yet what was lost.
          yield* sweep
          assert.deepStrictEqual(yield* listed(), [])
          yield* take(110, 111)
          yield* sweep
          const gap = { from: 106, to: 109, reason: "lost" as const }
          assert.deepStrictEqual(yield* listed(), [gap])
          assert.deepStrictEqual(
            (yield* readLostLedgers(HOUR_MS)).map(({ from, network, to }) => ({ from, network, to })),
            [{ from: 106, network: "mainnet", to: 109 }]
          )
          const later = yield* insertWebhook(accountId)
          yield* routeAll
          yield* Effect.andThen(sweep, sweep)
          assert.deepStrictEqual(yield* listed(), [gap])
          assert.deepStrictEqual(yield* listed(later), [])
        })
      )
      const sent =
        yield* sql`SELECT type, data->'webhook_ids' AS ids FROM notices WHERE account_id = ${accountId}`
      assert.deepStrictEqual(sent, [{ type: "webhook.gap", ids: [id] }])
    }).pipe(Effect.scoped)
  )

  it.effect("are told when no process of release 0.3 runs any more, which could not show them", () =>
    Effect.gen(function* () {
      const { listed, sql } = yield* prepare
      yield* sql`
        INSERT INTO processes (id, host, pid, version, roles, failing, seen_at)
        VALUES ('old', 'host', 1, '0.3.0', '{}', '{}', clock_timestamp())`
      yield* onNewLog(Effect.andThen(Effect.andThen(take(201, 205), routeAll), sweep))
      yield* onNewLog(
        Effect.gen(function* () {
          yield* take(210, 210)
          yield* sweep
          assert.deepStrictEqual(yield* listed(), [])
          yield* sql`UPDATE processes SET stopped_at = clock_timestamp()`
          yield* sweep
          assert.deepStrictEqual(yield* listed(), [{ from: 206, to: 209, reason: "lost" }])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.effect("are none if the topic that was made again lacks nothing that was not routed", () =>
    Effect.gen(function* () {
      const { listed } = yield* prepare
      yield* onNewLog(Effect.andThen(Effect.andThen(take(301, 305), routeAll), sweep))
      yield* onNewLog(Effect.andThen(take(306, 307), sweep))
      assert.deepStrictEqual(yield* listed(), [])
      assert.deepStrictEqual(yield* readLostLedgers(HOUR_MS), [])
    }).pipe(Effect.scoped)
  )

  it.effect("are up to the newest one if the topic ends before where it ended", () =>
    Effect.gen(function* () {
      const { listed } = yield* prepare
      yield* onNewLog(
        Effect.gen(function* () {
          yield* take(401, 405)
          yield* routeAll
          yield* take(406, 409)
          yield* sweep
          const log = yield* Log
          const cut = (partition: Parameters<typeof log.offsets>[0]) =>
            Effect.map(log.offsets(partition), (found) =>
              partition.topic === place.topic ? { ...found, end: found.end - 2 } : found
            )
          yield* Effect.provideService(sweep, Log, { ...log, offsets: cut })
        })
      )
      assert.deepStrictEqual(yield* listed(), [{ from: 406, to: 409, reason: "lost" }])
    }).pipe(Effect.scoped)
  )

  it.effect("leave the notice's type to the account, and are no type that release 0.3 would read", () =>
    Effect.gen(function* () {
      const { accountId, sql } = yield* prepare
      const notices = yield* NoticeStore
      const url = { url: "https://example.com", format: "slack", sealedSecret: null } as const
      const typesOf = Effect.map(notices.find(accountId), (found) => Option.getOrThrow(found).types)
      yield* notices.set(accountId, { ...url, types: ["webhook.gap", "quota.reached"] }, 1)
      assert.sameMembers([...(yield* typesOf)], ["quota.reached", "webhook.gap"])
      const [row] = yield* sql`SELECT types FROM notice_urls WHERE account_id = ${accountId}`
      assert.deepStrictEqual(row, { types: ["quota.reached"] })
      // As release 0.3 has chosen: all that it knows.
      yield* sql`
        UPDATE notice_urls SET also_types = NULL, types = ${noticeTypes.filter((type) => type !== "webhook.gap")}
        WHERE account_id = ${accountId}`
      assert.sameMembers([...(yield* typesOf)], [...noticeTypes])
      yield* sql`UPDATE notice_urls SET types = '{quota.reached}' WHERE account_id = ${accountId}`
      assert.deepStrictEqual(yield* typesOf, ["quota.reached"])
    })
  )
})
