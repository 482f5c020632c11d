/**
 * Measures the delivery log at scale through the API's queries: first and hundredth pages for filters alone and
 * combined, and statistics of each period. It compares stores of 5,000,000 and 10,000 deliveries over 30 days. Rare
 * values have the same number of rows in both. The ratio of a page by one filter compares both stores. Other ratios
 * compare with a time limit.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../src/features/deliveries/DeliveryQueries.ts"
import { foldChanges } from "../src/features/statistics/DeliveryTotals.ts"
import type { DeliveryFilter } from "../src/spine/deliveries/DeliveryPages.ts"
import { Partitions } from "../src/spine/deliveries/Partitions.ts"
import { type StatsPeriod, statsPeriods } from "../src/spine/domain/StatsPeriod.ts"
import { Outbox } from "../src/spine/store/outbox/Outbox.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { inRounds, medianOf, timed } from "./support/rounds.ts"
import { storeLayer } from "./support/store.ts"

/** Use smaller sizes while you work on this file: seeding the large store takes minutes. */
const SIZES = { small: 10_000, large: 5_000_000 }
/** Targets for a page by one filter: its ratio to the small store, and its time in the large one. */
const TARGET = 3
const PAGE_MS = 20
/** Targets for combined filters and for statistics. */
const COMBINED_MS = 50
const ROUNDS = 15
const WARM_UPS = 5
/** How many consecutive calls are timed together, because most take only a millisecond. */
const CALLS = 5
const PAGE = 20
const PAGES_BEFORE = 99

const DAY_MS = 86_400_000
const DAYS = 30
/** A moment between whole minutes, as nearly every moment is. A part of a minute has no totals. */
const END_MS = Date.parse("2026-11-21T09:30:30.000Z")
const BEGIN_MS = END_MS - DAYS * DAY_MS
const OWNER = { accountId: "acct_benchmark", networks: ["mainnet"] } as const
const webhookId = (number: number) => `wh_${String(number).padStart(26, "0")}`

/** Deliveries of a rare type, a quarter of them in each status. Each other delivery has a status that is not rare. */
const RARE = 1_200

const seed = Effect.fnUntraced(function* (rows: number) {
  const sql = yield* SqlClient.SqlClient
  const partitions = yield* Partitions
  yield* partitions.ensure(BEGIN_MS, END_MS)
  yield* sql`
    INSERT INTO accounts (id, name, plan, created_at) VALUES (${OWNER.accountId}, 'Benchmark', 'enterprise', now())`
  yield* sql`
    INSERT INTO webhooks (id, account_id, network, url, event_types, account_filters, status, max_in_flight, headers,
                          sealed_secret, created_at, updated_at)
    SELECT 'wh_' || lpad(i::text, 26, '0'), ${OWNER.accountId}, 'mainnet', '', '{*}', '{}', 'active', 16, '{}', '', now(), now()
    FROM generate_series(0, 9) AS i`
  const perDay = Math.ceil(rows / DAYS)
  for (let first = 0; first < rows; first += perDay) {
    yield* sql`
      INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, attempts,
                              response_status, response_time_ms, response_body, updated_at)
      SELECT left(first_delivery_id(to_timestamp((${BEGIN_MS}::bigint + i * ${DAYS * DAY_MS}::bigint / ${rows}) / 1000.0)), 14) || lpad(i::text, 16, '0'),
             'wh_' || lpad(webhook::text, 26, '0'), ${OWNER.accountId}, 'mainnet',
             'xrpl:' || 90000000 + i || ':' || repeat('A', 64) || ':' || type, type, i, status, 1,
             CASE status WHEN 'delivered' THEN 200 ELSE 503 END, 5 + mix % 400, 'ok', now()
      FROM generate_series(${first}::bigint, ${Math.min(rows, first + perDay) - 1}::bigint) AS i
      CROSS JOIN LATERAL (SELECT abs(hashint8(i)::bigint) AS mix, i / ${rows / RARE}::bigint AS rare, i % ${rows / RARE}::bigint = 0 AS is_rare) AS chance
      CROSS JOIN LATERAL (SELECT
        CASE WHEN is_rare THEN 'check.cashed' WHEN mix % 10 < 4 THEN 'payment.xrp' WHEN mix % 10 < 7 THEN 'nft.minted'
             WHEN mix % 10 < 9 THEN 'dex.offer_created' ELSE 'escrow.cancelled' END AS type,
        greatest(0, mix / 10 % 13 - 3) AS webhook) AS kind
      CROSS JOIN LATERAL (SELECT
        CASE WHEN is_rare THEN (ARRAY['pending', 'retrying', 'delivered', 'failed'])[1 + rare % 4]
             WHEN type = 'escrow.cancelled' OR mix / 1000 % 6 = 0 THEN 'failed' ELSE 'delivered' END AS status) AS outcome`
  }
  yield* foldChanges
  yield* sql`VACUUM ANALYZE`
})

const makeStore = Effect.fnUntraced(function* (rows: number) {
  const layer = Layer.mergeAll(DeliveryQueries.layer, Partitions.layer).pipe(
    Layer.provideMerge(Outbox.layer),
    Layer.provideMerge(storeLayer())
  )
  const context = yield* Layer.build(layer)
  yield* Effect.provide(seed(rows), context)
  return Context.get(context, DeliveryQueries)
})
type Queries = DeliveryQueries["Service"]

const MIDDLE = { since: BEGIN_MS + 5 * DAY_MS, until: BEGIN_MS + 25 * DAY_MS }

type Filters = Readonly<Record<string, DeliveryFilter>>

/** Filters that have a hundredth page in the small store as well. */
const long: Filters = {
  all: {},
  webhook: { webhookId: webhookId(0) },
  type: { eventType: "payment.xrp" },
  delivered: { statuses: ["delivered"] },
  failed: { statuses: ["failed"] },
  time: MIDDLE
}
const single: Filters = {
  ...long,
  pending: { statuses: ["pending"] },
  retrying: { statuses: ["retrying"] },
  "rare-type": { eventType: "check.cashed" }
}
const rare = { eventType: "check.cashed", webhookId: webhookId(0), ...MIDDLE }
const combined: Filters = {
  "delivered-type": { statuses: ["delivered"], eventType: "payment.xrp" },
  "pending-rare-type-webhook-time": { statuses: ["pending"], ...rare },
  "delivered-rare-type-webhook-time": { statuses: ["delivered"], ...rare },
  "failed-rare-type-webhook-time": { statuses: ["failed"], ...rare },
  "delivered-rare-type": { statuses: ["delivered"], eventType: "check.cashed" },
  "pending-other-type": { statuses: ["pending"], eventType: "payment.xrp" },
  "delivered-failing-type": { statuses: ["delivered"], eventType: "escrow.cancelled" },
  "webhook-type-time": { webhookId: webhookId(3), eventType: "nft.minted", ...MIDDLE }
}

const pageOf = (queries: Queries, filter: DeliveryFilter, beforeId?: string) =>
  queries.list(OWNER, filter, beforeId, PAGE + 1)

const hundredthOf = Effect.fnUntraced(function* (queries: Queries, filter: DeliveryFilter) {
  let beforeId: string | undefined
  for (let page = 0; page < PAGES_BEFORE; page++) {
    const rows = yield* pageOf(queries, filter, beforeId)
    beforeId = rows[PAGE - 1]?.id
    if (beforeId === undefined) throw new Error(`there is no page ${page + 2} of ${JSON.stringify(filter)}`)
  }
  return beforeId
})

interface Call {
  readonly name: string
  /** Makes the queries that the call needs first, and returns the effect to time. */
  readonly prepare: (queries: Queries) => Effect.Effect<Effect.Effect<unknown, unknown>, unknown>
}

const firstPages = (filters: Filters): ReadonlyArray<Call> =>
  Object.entries(filters).map(([name, filter]) => ({
    name: `deliveries.${name}`,
    prepare: (queries) => Effect.succeed(pageOf(queries, filter))
  }))

const hundredthPages: ReadonlyArray<Call> = Object.entries(long).map(([name, filter]) => ({
  name: `deliveries.${name}.100th`,
  prepare: (queries) => Effect.map(hundredthOf(queries, filter), (id) => pageOf(queries, filter, id))
}))

const statistics: ReadonlyArray<Call> = statsPeriods.flatMap((period: StatsPeriod) =>
  [undefined, webhookId(3)].flatMap((id) =>
    [false, true].map((series) => ({
      name: `deliveries.stats.${period}${id === undefined ? "" : ".webhook"}${series ? ".series" : ""}`,
      prepare: (queries) => Effect.succeed(queries.stats(OWNER, id, period, END_MS, series))
    }))
  )
)

const timeOf = (call: Effect.Effect<unknown, unknown>) =>
  Effect.map(timed(Effect.repeat(call, { times: CALLS - 1 })), (ms) => ms / CALLS)

/** Each round makes all calls, so that a disturbance of some seconds affects one round of each call. */
const timesOf = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>, queries: Queries) {
  const prepared = yield* Effect.forEach(calls, ({ prepare }) => prepare(queries))
  const rounds = yield* inRounds(ROUNDS, () => Effect.forEach(prepared, timeOf), WARM_UPS)
  return calls.map((_, i) => medianOf(rounds, (times) => times[i]!))
})

const figure = (name: string, value: number, ceiling: number, target: number): Figure => ({
  name,
  value,
  unit: "ms",
  ratio: value / ceiling,
  target,
  better: "lower"
})

const benchmark: Benchmark = {
  description: "pages and statistics of 5,000,000 deliveries, against those of 10,000",
  target: `a page by one filter at most ${TARGET} × the time and ${PAGE_MS} ms, all else at most ${COMBINED_MS} ms`,
  run: Effect.fnUntraced(function* (report) {
    const small = yield* makeStore(SIZES.small)
    const large = yield* makeStore(SIZES.large)
    const byOne = [...firstPages(single), ...hundredthPages]
    const onSmall = yield* timesOf(byOne, small)
    const onLarge = yield* timesOf(byOne, large)
    byOne.forEach(({ name }, i) => {
      report(figure(name, onLarge[i]!, onSmall[i]!, TARGET))
    })
    report(figure("deliveries.slowest", Math.max(...onLarge), PAGE_MS, 1))
    const others = [...firstPages(combined), ...statistics]
    const times = yield* timesOf(others, large)
    others.forEach(({ name }, i) => {
      report(figure(name, times[i]!, COMBINED_MS, 1))
    })
  })
}

export default benchmark
