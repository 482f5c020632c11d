/** Filters of the delivery log in every combination, its pages while others write, and its statistics, over HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeSeededRandom, type SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { AttemptRecord } from "../../../src/spine/deliveries/Transitions.ts"
import { deliveryStatuses } from "../../../src/spine/domain/Delivery.ts"
import { expandPattern } from "../../../src/spine/event/EventType.ts"
import { deliveryId, idTime } from "../../../src/spine/words/Ids.ts"
import { type Answer, ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const types = ["payment.xrp", "nft.minted", "check.cashed", "check.created"] as const
const patterns = ["check.*", "*"] as const
const iso = (ms: number) => new Date(ms).toISOString()

type Status = (typeof deliveryStatuses)[number]
interface Row {
  readonly id: string
  readonly webhook_id: string
  readonly event_type: string
  status: Status
}

let position = 0

const attemptOf = (deliveryId: string, attempt: number, status: AttemptRecord["status"]): AttemptRecord => ({
  deliveryId,
  attempt,
  status,
  responseStatus: status === "delivered" ? 200 : 503,
  responseTimeMs: 40,
  responseBody: null,
  error: status === "delivered" ? null : "HTTP 503",
  attemptedAt: Date.now(),
  endedAt: Date.now(),
  nextDelayMs: status === "retrying" ? 1_000 : null
})

/** An account with three webhooks, and a way to write its deliveries as route and the recorder do. */
const prepare = Effect.gen(function* () {
  const api = yield* ApiUnderTest
  const store = yield* DeliveryStore
  const nowMs = Date.now()
  yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(nowMs - 31 * DAY_MS, nowMs + DAY_MS))
  const { accountId, key } = yield* api.account()
  const made = yield* Effect.forEach([1, 2, 3], () =>
    api.call("POST", "/v1/webhooks", { key, body: { url: "https://example.com/", event_types: ["*"] } })
  )
  const webhooks: ReadonlyArray<string> = made.map(({ body }) => body.id)

  const write = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
    yield* store.insertPending(
      rows.map((row) => ({
        id: row.id,
        webhookId: row.webhook_id,
        accountId,
        network: "mainnet" as const,
        eventId: "event",
        eventType: row.event_type,
        eventOffset: 0
      })),
      nowMs
    )
    // Some rows are in the totals already, and some are not.
    yield* foldChanges
    const ended = rows.flatMap(({ id, status }) => (status === "pending" ? [] : [attemptOf(id, 1, status)]))
    const half = Math.ceil(ended.length / 2)
    yield* store.record(ended.slice(0, half), 1_000_000)
    yield* foldChanges
    yield* store.record(ended.slice(half), 1_000_000)
  })
  const get = (path: string) => api.call("GET", `/v1/deliveries${path}`, { key })
  return { webhooks, write, get, nowMs, store }
})

/** Many in one minute, some in one hour, the rest over days, so that pages end within and between totals. */
const randomRow = (chance: SeededRandom, webhooks: ReadonlyArray<string>, nowMs: number): Row => {
  const created = nowMs - chance.int(0, chance.pick([20_000, HOUR_MS, 3 * DAY_MS]))
  const webhook_id = chance.pick(webhooks)
  return {
    id: deliveryId(created, position++, webhook_id, "event"),
    webhook_id,
    event_type: chance.pick(types),
    status: chance.pick(deliveryStatuses)
  }
}

const newestFirst = (rows: ReadonlyArray<Row>) =>
  rows.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1))

layer(apiLayer(), { excludeTestServices: true })("filters of deliveries", (it) => {
  it.effect(
    "every combination of filters returns exactly the matching rows, over all pages",
    () =>
      Effect.gen(function* () {
        const { webhooks, write, get, nowMs } = yield* prepare
        const chance = makeSeededRandom(11)
        // The first webhook never gets anything of the last type delivered: a query must find an empty result, too.
        const rows = Array.from({ length: 400 }, () => randomRow(chance, webhooks, nowMs)).filter(
          ({ webhook_id, event_type, status }) =>
            !(webhook_id === webhooks[0] && event_type === types[2] && status === "delivered")
        )
        yield* write(rows)
        const since = nowMs - 2 * DAY_MS
        const until = nowMs - 10_000
        for (const webhook of [undefined, webhooks[0]])
          for (const type of [undefined, types[0], types[2], ...patterns])
            for (const statuses of [
              [],
              ...deliveryStatuses.map((one) => [one]),
              ["failed", "retrying"],
              deliveryStatuses
            ])
              for (const [from, to] of [
                [undefined, undefined],
                [since, undefined],
                [undefined, until],
                [since, until]
              ] as const) {
                const expected = rows.filter(
                  (row) =>
                    (webhook === undefined || row.webhook_id === webhook) &&
                    (type === undefined || expandPattern(type).some((one) => one === row.event_type)) &&
                    (statuses.length === 0 || statuses.includes(row.status)) &&
                    (from === undefined || idTime(row.id) > from) &&
                    (to === undefined || idTime(row.id) < to)
                )
                const filters = {
                  ...(webhook === undefined ? {} : { webhook_id: webhook }),
                  ...(type === undefined ? {} : { event_type: type }),
                  ...(from === undefined ? {} : { since: iso(from) }),
                  ...(to === undefined ? {} : { until: iso(to) })
                }
                const seen: Array<string> = []
                let cursor: string | null = null
                do {
                  const query: URLSearchParams = new URLSearchParams({
                    ...filters,
                    limit: "37",
                    ...(cursor === null ? {} : { cursor })
                  })
                  for (const status of statuses) query.append("status", status)
                  const { status, body }: Answer = yield* get(`?${query}`)
                  assert.strictEqual(status, 200)
                  seen.push(...body.data.map(({ id }: Row) => id))
                  cursor = body.next_cursor
                } while (cursor !== null)
                assert.deepStrictEqual(seen, newestFirst(expected), JSON.stringify([filters, statuses]))
              }
      }),
    60_000
  )

  it.effect("an empty range of time is cheap, however wide", () =>
    Effect.gen(function* () {
      const { get, webhooks } = yield* prepare
      for (const status of deliveryStatuses) {
        // The last of these is in the year 10000.
        for (const bounds of [
          "since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z",
          "since=9999-12-31T23:59:59-14:00"
        ]) {
          const query = `?${bounds}&status=${status}&webhook_id=${webhooks[0]}`
          const { status: code, body } = yield* get(query)
          assert.deepStrictEqual([code, body.data], [200, []])
        }
      }
    })
  )

  it.effect(
    "during concurrent writes, rows that match throughout appear once, and no row appears twice",
    () =>
      Effect.gen(function* () {
        const { webhooks, write, get, nowMs, store } = yield* prepare
        const chance = makeSeededRandom(12)
        // At any moment between the statements of a page.
        yield* Effect.forkChild(Effect.forever(foldChanges))
        for (const filter of ["", "&status=pending", "&status=delivered", "&status=failed"]) {
          const rows = Array.from({ length: 120 }, () => randomRow(chance, webhooks, nowMs))
          yield* write(rows)
          const wanted = (row: Row) => filter === "" || filter.endsWith(row.status)
          const throughout = new Set(rows.filter(wanted).map(({ id }) => id))
          const before = new Set(rows.map(({ id }) => id))
          const seen: Array<string> = []
          let cursor = ""
          while (true) {
            const { body } = yield* get(`?limit=9${filter}${cursor}`)
            seen.push(...body.data.map(({ id }: Row) => id))
            if (!body.has_more) break
            cursor = `&cursor=${body.next_cursor}`
            yield* write(Array.from({ length: 5 }, () => randomRow(chance, webhooks, nowMs)))
            for (const row of [chance.pick(rows), chance.pick(rows)]) {
              if (row.status === "pending" || row.status === "retrying") {
                row.status = "delivered"
                yield* store.record([attemptOf(row.id, 2, "delivered")], 1_000_000)
                if (filter !== "" && !seen.includes(row.id)) throughout.delete(row.id)
              }
            }
          }
          assert.strictEqual(new Set(seen).size, seen.length)
          assert.deepStrictEqual(seen, seen.toSorted().reverse())
          for (const id of throughout) assert.include(seen, id)
          if (filter === "") {
            const shown = new Set(seen)
            assert.isTrue([...before].every((id) => shown.has(id)))
          }
        }
      })
  )

  it.effect("statistics of one webhook or of all are as specified, with zeros for empty periods", () =>
    Effect.gen(function* () {
      const { webhooks, write, get, nowMs } = yield* prepare
      const row = (status: Status, ageMs: number, webhook = 0): Row => ({
        id: deliveryId(nowMs - ageMs, position++, webhooks[webhook]!, "event"),
        webhook_id: webhooks[webhook]!,
        event_type: "payment.xrp",
        status
      })
      yield* write([
        row("delivered", 60_000),
        row("delivered", 2 * HOUR_MS),
        row("failed", 3 * HOUR_MS),
        row("pending", 61_000),
        row("retrying", 62_000),
        row("delivered", 2 * DAY_MS, 1),
        row("failed", 29 * DAY_MS, 1)
      ])
      const counts = { delivered: 2, failed: 1, pending: 2, retrying: 1, total: 5 }
      const { status, body } = yield* get("/stats")
      assert.strictEqual(status, 200)
      const { p50_ms, p99_ms, ...exact } = body
      for (const found of [p50_ms, p99_ms]) assert.closeTo(found, 40, 5)
      assert.deepStrictEqual(exact, {
        period: "24h",
        ...counts,
        success_rate: 66.67,
        // All attempts ended now, whenever their deliveries were made.
        attempts: 6,
        attempts_failed: 3,
        first_attempt_success_rate: 50,
        avg_latency_ms: 40
      })
      const hour = (yield* get("/stats?period=1h&series=true")).body
      assert.deepInclude(hour, { total: 3, delivered: 1, failed: 0, pending: 2, success_rate: 100 })
      assert.strictEqual(hour.series.length, 61)
      assert.deepStrictEqual(Object.keys(hour.series[0]), [
        "at",
        "delivered",
        "failed",
        "pending",
        "retrying",
        "attempts",
        "attempts_failed",
        "first_attempt_success_rate",
        "p50_ms",
        "p99_ms"
      ])
      const sum = (series: ReadonlyArray<Record<string, number>>, name: string) =>
        series.reduce((total, point) => total + point[name]!, 0)
      for (const name of ["delivered", "failed", "pending", "attempts", "attempts_failed"])
        assert.strictEqual(sum(hour.series, name), hour[name])
      assert.strictEqual((yield* get("/stats?period=7d&series=true")).body.series.length, 29)
      assert.strictEqual((yield* get("/stats?period=24h&series=true")).body.series.length, 25)
      const quarters = (yield* get("/stats?series=true&interval=15m")).body.series
      assert.strictEqual(Date.parse(quarters[1].at) - Date.parse(quarters[0].at), 900_000)
      assert.strictEqual((yield* get("/stats?period=7d&series=true&interval=15m")).status, 400)
      const timed = (yield* get("/stats?series=true&answer_times=true")).body
      assert.strictEqual(
        timed.series.flatMap((point: Record<string, ReadonlyArray<number>>) => point["answer_times"]!).length,
        25 * 9
      )
      assert.strictEqual((yield* get("/stats?answer_times=true")).status, 400)
      const month = (yield* get("/stats?period=30d&series=true")).body
      assert.deepInclude(month, { total: 7, delivered: 3, failed: 2 })
      assert.strictEqual(month.series.length, 31)
      assert.deepInclude((yield* get(`/stats?period=30d&webhook_id=${webhooks[1]}`)).body, {
        total: 2,
        delivered: 1,
        failed: 1,
        pending: 0,
        success_rate: 50
      })
      const nothing = {
        period: "24h",
        total: 0,
        delivered: 0,
        failed: 0,
        pending: 0,
        retrying: 0,
        success_rate: 0,
        attempts: 0,
        attempts_failed: 0,
        first_attempt_success_rate: null,
        avg_latency_ms: 0,
        p50_ms: null,
        p99_ms: null
      }
      assert.deepStrictEqual((yield* get(`/stats?webhook_id=${webhooks[2]}&series=false`)).body, nothing)
      // As in the list, a webhook of another account and one that never existed look the same.
      const other = yield* prepare
      assert.deepStrictEqual((yield* other.get(`/stats?webhook_id=${webhooks[0]}`)).body, nothing)
      assert.deepStrictEqual(
        (yield* other.get("/stats?webhook_id=wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE")).body,
        nothing
      )
      for (const wrong of ["period=2h", "series=yes", "webhook_id=x", "status=failed"]) {
        const answer = yield* get(`/stats?${wrong}`)
        assert.deepStrictEqual([answer.status, answer.body.error.code], [400, "VALIDATION_ERROR"])
      }
    })
  )
})
