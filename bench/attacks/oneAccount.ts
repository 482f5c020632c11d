/**
 * Measures the harm that one account can do with requests that cost much, to a process that serves the API, routes and
 * delivers: its deliveries per second, memory, and the latency of another account's requests beside each kind of
 * request, compared with a quiet time just before.
 */
import { randomBytes } from "node:crypto"
import { Clock, Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import { roles } from "../../src/app/Roles.ts"
import { AccountStore } from "../../src/features/accounts/AccountStore.ts"
import { ApiKeyStore } from "../../src/features/accounts/ApiKeyStore.ts"
import { webhookBounds } from "../../src/features/webhooks/Limits.ts"
import { Partitions } from "../../src/spine/deliveries/Partitions.ts"
import { addressOfAccountId } from "../../src/spine/event/AccountId.ts"
import { firstIdAt } from "../../src/spine/words/Ids.ts"
import type { Benchmark, Figure } from "../support/Benchmark.ts"
import { besideDeliveries, type Phase } from "../support/besideDeliveries.ts"
import { startChild } from "../support/Child.ts"
import type { KeyedFlood } from "../support/keyedFloodProgram.ts"
import { quantile } from "../support/rounds.ts"
import { storeLayer } from "../support/store.ts"
import { appendEvents, makeEvents, makeWebhooks, NETWORK } from "../support/webhooks.ts"

const RATE_TARGET = 0.9
const P99_TARGET_MS = 250
const QUIET_MS = 10_000
const FLOOD_MS = 15_000
const CONNECTIONS = 20
/** Different bodies, so that nothing can be remembered of the one before. */
const BODIES = 4
const REPLAYED_IDS = 10_000
const PREVIEWED_EVENTS = 10_000
const FAILED_DELIVERIES = 500_000
const MINUTE_MS = 60_000
/** As many as a body has room for. */
const TOO_MANY = 25_001
const OTHER_KEY = `svc_live_${"o".repeat(40)}`

const addresses = (count: number) =>
  Array.from({ length: count }, () => addressOfAccountId(randomBytes(20).toString("hex")))
const eventIds = () =>
  Array.from(
    { length: REPLAYED_IDS },
    (_, i) => `xrpl:${90_000_000 + i}:${randomBytes(32).toString("hex").toUpperCase()}:payment.xrp`
  )
const bodies = (make: () => object) => Array.from({ length: BODIES }, () => JSON.stringify(make()))

type Attack = Pick<KeyedFlood, "method" | "path" | "bodies"> & Partial<KeyedFlood>

const attacksOn = (webhookId: string, spentKey: string, since: number): Readonly<Record<string, Attack>> => {
  const change = { method: "PATCH", path: `/v1/webhooks/${webhookId}` } as const
  return {
    refused: { ...change, bodies: bodies(() => ({ account_filters: addresses(TOO_MANY) })) },
    wrong: {
      ...change,
      bodies: bodies(() => ({ account_filters: [...addresses(webhookBounds.accountFilters - 1), "r"] }))
    },
    accepted: {
      ...change,
      bodies: bodies(() => ({ account_filters: addresses(webhookBounds.accountFilters) }))
    },
    shown: { ...change, method: "GET", bodies: [] },
    dryRuns: {
      method: "POST",
      path: "/v1/replay",
      bodies: bodies(() => ({ webhook_id: webhookId, event_ids: eventIds(), dry_run: true }))
    },
    previews: {
      method: "POST",
      path: `${change.path}/preview`,
      bodies: bodies(() => ({ account_filters: addresses(webhookBounds.accountFilters), events: 10_000 }))
    },
    types: { ...change, bodies: bodies(() => ({ event_types: Array(200_000).fill("*") })) },
    overLimit: { ...change, method: "GET", bodies: [], key: spentKey, connections: 300 },
    storedPreviews: {
      method: "POST",
      path: `${change.path}/preview`,
      bodies: bodies(() => ({ events: PREVIEWED_EVENTS })),
      connections: 80,
      idempotent: true
    },
    counts: {
      method: "POST",
      path: "/v1/deliveries/retry",
      bodies: bodies(() => ({ webhook_id: webhookId, since: new Date(since).toISOString(), dry_run: true })),
      connections: 200
    }
  }
}

const insertFailed = Effect.fnUntraced(function* (accountId: string, webhookId: string, now: number) {
  const sql = yield* SqlClient.SqlClient
  yield* (yield* Partitions).ensure(now, now)
  yield* sql`
    INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, attempts,
                            updated_at)
    SELECT left(${firstIdAt("dlv_", now)}, 14) || lpad(i::text, 16, '0'), ${webhookId}, ${accountId}, ${NETWORK},
           'xrpl:90000000:' || repeat('A', 64) || ':payment.xrp', 'payment.xrp', i, 'failed', 8, now()
    FROM generate_series(1, ${FAILED_DELIVERIES}::bigint) AS i`
})

const measure = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const keys = yield* ApiKeyStore
  const now = yield* Clock.currentTimeMillis
  const keyOf = (accountId: string) =>
    Effect.map(
      keys.create({ accountId, name: "bench", scopes: ["admin"], environment: "live" }, now),
      (made) => made!.value
    )
  const attacker = yield* startChild("keyedFloodProgram.ts")
  const { origin, phase } = yield* besideDeliveries((origin) => ({
    url: `${origin}/v1/account`,
    headers: { "x-service-key": OTHER_KEY }
  }))
  const { accountId, ids } = yield* makeWebhooks(["https://example.com/hook"], {
    accountId: "acct_costly",
    filters: [addresses(webhookBounds.accountFilters)]
  })
  const key = yield* keyOf(accountId)
  const spent = yield* accounts.create({ name: "spent", email: null, plan: "enterprise" }, now)
  yield* accounts.change(spent, { own: { requestsPerDay: 0 } }, now)
  yield* appendEvents(makeEvents(PREVIEWED_EVENTS, 1_024, -1))
  yield* insertFailed(accountId, ids[0]!, now)
  const attacks = attacksOn(ids[0]!, yield* keyOf(spent), now - MINUTE_MS)
  const pairs: Array<readonly [name: string, quiet: Phase, flooded: Phase]> = []
  for (const [name, attack] of Object.entries(attacks)) {
    const quiet = yield* phase(QUIET_MS)
    yield* attacker.ask({ origin, key, connections: CONNECTIONS, ...attack } satisfies KeyedFlood)
    const flooded = yield* phase(FLOOD_MS)
    yield* attacker.ask("end")
    pairs.push([name, quiet, flooded])
  }
  return pairs
}).pipe(
  Effect.scoped,
  Effect.provide(
    roles.pipe(
      Layer.provideMerge(Layer.merge(AccountStore.layer, Partitions.layer)),
      Layer.provideMerge(ApiKeyStore.layer),
      Layer.provideMerge(
        storeLayer({ ROLES: "api,route,deliver,delay", HOST: "127.0.0.1", PORT: "0", ADMIN_KEY: OTHER_KEY })
      ),
      Layer.provide(Layer.succeed(References.TracerEnabled, false))
    )
  )
)

const run = Effect.fnUntraced(function* (report: (figure: Figure) => void) {
  for (const [name, quiet, flooded] of yield* measure) {
    const prefix = `attacks.account.${name}`
    const p99 = quantile(flooded.probeMs, 0.99)
    report({
      name: prefix,
      value: flooded.perSecond,
      unit: "deliveries/s",
      ratio: flooded.perSecond / quiet.perSecond,
      target: RATE_TARGET,
      better: "higher"
    })
    report({
      name: `${prefix}.p99`,
      value: p99,
      unit: "ms",
      ratio: p99 / P99_TARGET_MS,
      target: 1,
      better: "lower"
    })
    const lower = { ratio: null, target: null, better: "lower" } as const
    report({ ...lower, name: `${prefix}.quiet.p99`, value: quantile(quiet.probeMs, 0.99), unit: "ms" })
    report({ ...lower, name: `${prefix}.memory`, value: flooded.memoryMb, unit: "MB" })
  }
})

export const oneAccount: Benchmark = {
  description: "deliveries and another account's requests beside an account whose requests cost much",
  target: "0.9 of the deliveries, and a p99 of at most 250 ms for the other account",
  run
}
