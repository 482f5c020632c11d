/**
 * A service with a day of life in it, for pictures of the dashboard. Its events are of simulated ledgers that closed
 * through the day; what became of their deliveries is recorded by the program's own code, at the times of the story. Then
 * the service runs as an operator runs it: ledgers close, receivers answer, and the failing ones fail.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Redacted, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { makeSeededRandom } from "../../../../src/features/simulator/SeededRandom.ts"
import { loadSettings } from "../../../../src/spine/config/Config.ts"
import { DeliveryStore } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../../src/spine/deliveries/Partitions.ts"
import type { AttemptRecord, NewDelivery } from "../../../../src/spine/deliveries/Transitions.ts"
import { networkIds } from "../../../../src/spine/event/Network.ts"
import { Outbox } from "../../../../src/spine/store/outbox/Outbox.ts"
import { ReadSql } from "../../../../src/spine/store/Sql.ts"
import { deliveryId, randomId } from "../../../../src/spine/words/Ids.ts"
import { apiClient, createWebhook } from "../../http/apiClient.ts"
import { makeSimulatedLedger } from "../../ledger/simulatedLedger.ts"
import { startService } from "../../program/serviceProcess.ts"
import { certificates } from "../../servers/certificates.ts"
import { ownDatabase } from "../../store/ownDatabase.ts"
import { makeBrowser, openPage } from "../browser.ts"
import { DashboardService } from "../dashboardService.ts"
import { attemptsOf, hooks, incidents, timeOf, wants } from "./story.ts"

const LIVE_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const SEED = 20_261_126
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Of the day before; about one in a minute. */
const PAST_LEDGERS = 1_400
const TRANSACTIONS = 8
/** Later ones close more often than that, so that there is something new on every page. */
const NEXT_LEDGER_MS = 12_000
/** Attempts that are recorded in one transaction, as the service does under load. */
const BATCH = 250
/** No webhook of the day is disabled. */
const DISABLE_AFTER = 1_000_000

interface PastEvent {
  readonly event_id: string
  readonly event_type: string
  readonly ledger_index: string
  readonly position: number
  readonly closed_ms: number
}

const listen = (server: ReturnType<typeof createServer | typeof createTlsServer>) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.closeAllConnections())
  )

/** Answers as each webhook's story says; one has a certificate that has expired. */
const makeReceivers = Effect.gen(function* () {
  const answer: RequestListener = (request, response) => {
    const hook = hooks.find(({ path }) => path === request.url)
    request.resume().on("end", () =>
      setTimeout(
        () => {
          response.writeHead(hook?.trouble ? 503 : 200, { server: "nginx", "content-type": "text/plain" })
          response.end(hook?.trouble ? "maintenance: the import has stopped" : "ok")
        },
        (hook?.trouble ? 9 : (hook?.medianMs ?? 0)) / 2
      )
    )
  }
  const http = yield* listen(createServer(answer))
  const https = yield* listen(createTlsServer(certificates.expired, answer))
  return (path: string) => {
    const isExpired = hooks.some((hook) => hook.path === path && hook.trouble?.error.startsWith("TLS"))
    return isExpired ? `https://localhost:${https}${path}` : `http://localhost:${http}${path}`
  }
})

/** A clock that stands at the time that was set last, or goes on. */
const makeLedgerClock = Effect.map(Clock.Clock, (real) => {
  let at: number | undefined
  return {
    clock: Object.assign(Object.create(real) as Clock.Clock, {
      currentTimeMillisUnsafe: () => at ?? real.currentTimeMillisUnsafe()
    }),
    set: (ms: number | undefined) => {
      at = ms
    }
  }
})

const database = (url: string) =>
  Layer.mergeAll(DeliveryStore.layer, Partitions.layer).pipe(
    Layer.provideMerge(Outbox.layer),
    Layer.provideMerge(
      Layer.provideMerge(ReadSql.layer, PgClient.layer({ url: Redacted.make(url), maxConnections: 4 }))
    )
  )

interface Written {
  readonly row: NewDelivery
  readonly attempt: AttemptRecord
}

/** Records attempts in the order in which they ended, as the service did. */
const recordAll = Effect.fnUntraced(function* (written: ReadonlyArray<Written>) {
  const store = yield* DeliveryStore
  const inOrder = written.toSorted((a, b) => a.attempt.endedAt - b.attempt.endedAt)
  for (let from = 0; from < inOrder.length; ) {
    const seen = new Set<string>()
    const batch: Array<Written> = []
    // The service has no two attempts of a delivery in a batch.
    while (batch.length < BATCH && from < inOrder.length && !seen.has(inOrder[from]!.row.id)) {
      seen.add(inOrder[from]!.row.id)
      batch.push(inOrder[from++]!)
    }
    const firsts = batch.filter(({ attempt }) => attempt.attempt === 1)
    const later = batch.flatMap(({ attempt }) => (attempt.attempt === 1 ? [] : [attempt]))
    if (firsts.length > 0) yield* store.recordFirst(firsts, DISABLE_AFTER)
    if (later.length > 0) yield* store.record(later, DISABLE_AFTER)
  }
})

/** Writes what happened to the day's events. */
const writeDay = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  const store = yield* DeliveryStore
  const partitions = yield* Partitions
  yield* partitions.ensure(nowMs - 31 * DAY_MS, nowMs)
  const [account] = yield* sql<{ readonly id: string }>`
    UPDATE accounts SET name = 'Example Treasury' RETURNING id`
  const accountId = account!.id
  const events = yield* sql<PastEvent>`
    SELECT event_id, event_type, ledger_index::text, position, (extract(epoch FROM close_time) * 1000)::float8 AS closed_ms
    FROM events WHERE network = 'mainnet' ORDER BY events.ledger_index, position`
  const { delaysMs } = (
    loadSettings({}, []) as Exclude<ReturnType<typeof loadSettings>, ReadonlyArray<unknown>>
  ).retryPolicy
  const seeded = makeSeededRandom(SEED)
  const written: Array<Written> = []
  const held: Array<NewDelivery> = []
  for (const [index, hook] of hooks.entries()) {
    const webhookId = ids[index]!
    let number = 0
    // The topic has the events in this order, from offset 0.
    for (const [eventOffset, event] of events.entries()) {
      if (!wants(hook, event.event_type)) continue
      const createdMs = event.closed_ms + 1_200
      const row: NewDelivery = {
        id: deliveryId(createdMs, event.position, webhookId, event.event_id),
        webhookId,
        accountId,
        network: "mainnet",
        eventId: event.event_id,
        eventType: event.event_type,
        eventOffset
      }
      const attempts = attemptsOf({
        hook,
        createdMs,
        number: number++,
        nowMs,
        delaysMs,
        random: seeded.next
      })
      written.push(...attempts.map((attempt) => ({ row, attempt: { ...attempt, deliveryId: row.id } })))
      if (attempts.length === 0) held.push(row)
    }
    const createdAt = new Date(nowMs - hook.ageDays * DAY_MS).toISOString()
    yield* sql`UPDATE webhooks SET created_at = ${createdAt}::timestamptz WHERE id = ${webhookId}`
    if (hook.pausedMs !== undefined) {
      const pausedAt = new Date(nowMs - hook.pausedMs).toISOString()
      yield* sql`UPDATE webhooks SET paused_at = ${pausedAt}::timestamptz WHERE id = ${webhookId}`
    }
  }
  yield* recordAll(written)
  for (let from = 0; from < held.length; from += BATCH)
    yield* store.insertPending(held.slice(from, from + BATCH), nowMs)
  // Nothing in the log asks for these: the service reads them from the backlog.
  yield* sql`UPDATE deliveries SET parked = true WHERE status IN ('pending', 'retrying')`
  for (const one of incidents) {
    const day = new Date(nowMs - one.daysAgo * DAY_MS).setUTCHours(0, 0, 0, 0)
    const [began, ended] = [day + one.hour * HOUR_MS, day + one.hour * HOUR_MS + one.minutes * 60_000]
    yield* sql`
      INSERT INTO incidents (id, account_id, network, webhook_id, began_at, ended_at, ended_by, cause, attempts_failed,
                             failed_deliveries, first_delivery, waited, delivered, failed)
      VALUES (${randomId("inc_", began)}, ${accountId}, 'mainnet', ${ids[one.hook]!},
              ${new Date(began).toISOString()}::timestamptz, ${new Date(ended).toISOString()}::timestamptz, ${one.by},
              ${one.cause}, ${one.waited * 2}, ${one.waited}, ${deliveryId(began, 0, ids[one.hook]!, "event")},
              ${one.waited}, ${one.waited - one.failed}, ${one.failed})`
  }
  return { events: events.length, deliveries: written.length }
})

export const dayOfLife = Layer.effect(
  DashboardService,
  Effect.gen(function* () {
    const { url: databaseUrl } = yield* ownDatabase
    const dataDir = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-day-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const addressOf = yield* makeReceivers
    const { clock, set } = yield* makeLedgerClock
    const startedMs = yield* Clock.currentTimeMillis
    set(timeOf(0, startedMs))
    const ledger = yield* Effect.provideService(
      makeSimulatedLedger({ seed: SEED, networkId: networkIds.mainnet, transactionsPerLedger: TRANSACTIONS }),
      Clock.Clock,
      clock
    )
    const { header } = yield* ledger.head
    const service = startService({
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      ADMIN_KEY: LIVE_KEY,
      XRPL_MAINNET_URLS: ledger.url,
      XRPL_MAINNET_START: String(header.ledger_index),
      DELIVERY_ALLOW_HTTP: "true",
      DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
    })
    // Webhooks would get the day's events at once, so the service takes them before there is any.
    const morning = yield* Scope.make()
    const before = yield* Scope.provide(service, morning)
    for (let closed = 0; closed < PAST_LEDGERS; closed++) {
      set(timeOf(closed / PAST_LEDGERS, startedMs))
      yield* ledger.close
    }
    set(undefined)
    const { call } = apiClient(before.apiUrl, LIVE_KEY)
    const last = (yield* ledger.head).header.ledger_index
    const until = (path: string, text: string) =>
      Effect.repeat(call("GET", path), {
        schedule: Schedule.spaced("200 millis"),
        until: ({ body }) => JSON.stringify(body).includes(text)
      })
    const fields = { url: addressOf("/"), event_types: ["account.deleted"], paused: true }
    const first = yield* createWebhook(apiClient(before.apiUrl, LIVE_KEY), fields)
    yield* until(`/v1/events?ledger_index_min=${last}`, `"ledger_index":${last}`)
    yield* until(`/v1/webhooks/${first.id}/progress`, `"routed_through":${last}`)
    yield* call("DELETE", `/v1/webhooks/${first.id}`)
    const ids: Array<string> = []
    for (const { description, path, types } of hooks) {
      const fields = { url: addressOf(path), description, event_types: types }
      ids.push((yield* createWebhook(apiClient(before.apiUrl, LIVE_KEY), fields)).id)
    }
    yield* before.kill
    const day = yield* Effect.provide(writeDay(ids, startedMs), database(databaseUrl))
    yield* Effect.logInfo(`${day.events} events, ${day.deliveries} attempts`)
    const { apiUrl: url } = yield* service
    yield* Effect.forkScoped(Effect.repeat(ledger.close, Schedule.spaced(NEXT_LEDGER_MS)))
    const admin = apiClient(url, LIVE_KEY)
    const keyWith: DashboardService["Service"]["keyWith"] = (environment, scopes) =>
      Effect.map(
        admin.call("POST", "/v1/api-keys", { name: scopes.join(" "), environment, scopes }),
        ({ body }) => String(body["key"])
      ).pipe(Effect.orDie)
    const browser = yield* makeBrowser
    const open: DashboardService["Service"]["open"] = (path, options) =>
      openPage(browser, url + path, options)
    return {
      url,
      // Of the first start, and long used up when a picture is made.
      firstLink: "",
      liveKey: LIVE_KEY,
      testKey: yield* keyWith("test", ["admin"]),
      keyWith,
      closeLedger: ledger.close,
      browser,
      open
    }
  }).pipe(Effect.orDie)
)
