/**
 * Measures what an event, a delivery, a webhook and an account filter cost: CPU, bytes on disk by kind of table, and
 * WAL. The whole program runs on a PostgreSQL of its own, with the embedded log: first ledgers that no webhook wants,
 * then ledgers whose events all go to 10 webhooks, then webhooks without and with filters. Bytes are those that
 * PostgreSQL reports, without a VACUUM. CPU is the lowest of the rounds. It reads /proc, so it needs Linux.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { addressOfAccountId } from "../src/spine/event/AccountId.ts"
import * as Sql from "../src/spine/store/Sql.ts"
import { apiClient, createWebhook, waitUntil } from "../test/support/http/apiClient.ts"
import { startProcess } from "../test/support/program/serviceProcess.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { startChild } from "./support/Child.ts"
import { cpuSecondsBelow, cpuSecondsOf, memoryMebibytesOf } from "./support/cpu.ts"
import { databaseUrl } from "./support/kafka.ts"
import { FIRST_LEDGER_INDEX } from "./support/ledgers.ts"
import { settingsLayer } from "./support/store.ts"
import { type Bytes, bytesNow } from "./support/storeBytes.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const TRANSACTIONS = 200
const ROUNDS = 3
const LEDGERS_PER_ROUND = 10
const DELIVERED_LEDGERS_PER_ROUND = 3
/** The first ledgers make table partitions and fill caches. They are not measured. */
const WARM_UP_LEDGERS = 2
const LEDGERS = 2 * WARM_UP_LEDGERS + ROUNDS * (LEDGERS_PER_ROUND + DELIVERED_LEDGERS_PER_ROUND)
const RECEIVING_WEBHOOKS = 10
/** Webhooks of each kind whose rows and records are measured, and the account filters of those that have some. */
const STORED_WEBHOOKS = 500
const FILTERS = 20
const MIB = 2 ** 20

const countOf = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly events: number; readonly delivered: number; readonly behind: number }>`
    SELECT (SELECT count(*) FROM events)::float8 AS events,
           (SELECT count(*) FROM deliveries WHERE status = 'delivered')::float8 AS delivered,
           (SELECT coalesce(sum(e.end_offset - coalesce(c.next_offset, 0)), 0) FROM log_ends e
            CROSS JOIN (VALUES ('events'), ('route')) AS groups (name)
            LEFT JOIN log_commits c ON c.topic = e.topic AND c.partition = e.partition AND c.group_name = groups.name
            WHERE e.topic = 'xrpl.mainnet.events')::float8 AS behind`
  return row!
})

interface Phase {
  readonly events: number
  readonly deliveries: number
  /** Of the cheapest round, by event. */
  readonly program: number
  readonly database: number
  readonly before: Bytes
  readonly after: Bytes
}

const measure = Effect.fnUntraced(function* (url: string, report: (figure: Figure) => void) {
  const show = (name: string, value: number, unit: string) =>
    report({ name: `capacity.${name}`, value, unit, ratio: null, target: null, better: "lower" })
  const server = yield* startChild("ledgerServerProgram.ts", [String(LEDGERS), String(TRANSACTIONS)])
  const receiver = yield* startChild("receiverProgram.ts")
  const port = yield* receiver.ask()
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-bench-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const { pid, match } = yield* startProcess(
    {
      ADMIN_KEY,
      DATA_DIR: folder,
      DATABASE_URL: url,
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      DELIVERY_ALLOW_HTTP: "true",
      DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
      XRPL_MAINNET_URLS: `ws://127.0.0.1:${yield* server.ask()}`,
      XRPL_MAINNET_START: String(FIRST_LEDGER_INDEX + 1)
    },
    /Ledgerhook API: (\S+)/
  )
  const client = apiClient(match[1]!, ADMIN_KEY)
  const others = [pid, server.process.pid, receiver.process.pid]
  let ledgers = 0

  /** Serves more ledgers, and waits until all of their events and deliveries are recorded. */
  const take = Effect.fnUntraced(function* (more: number, webhooks: number) {
    const before = yield* countOf()
    const program = cpuSecondsOf(pid)
    const database = cpuSecondsBelow(others)
    ledgers += more
    yield* server.ask(ledgers)
    const sql = yield* SqlClient.SqlClient
    yield* waitUntil(
      Effect.gen(function* () {
        const [marker] = yield* sql<{ readonly taken: number }>`
          SELECT coalesce(max(end_offset), 0)::float8 AS taken FROM log_ends WHERE topic = 'xrpl.mainnet.ledgers'`
        if (marker!.taken < ledgers) return false
        const now = yield* countOf()
        return (
          now.behind === 0 && now.delivered - before.delivered === (now.events - before.events) * webhooks
        )
      }),
      "300 seconds"
    )
    const now = yield* countOf()
    const events = now.events - before.events
    return {
      events,
      deliveries: now.delivered - before.delivered,
      program: (cpuSecondsOf(pid) - program) / events,
      database: (cpuSecondsBelow(others) - database) / events
    }
  })

  const phase = Effect.fnUntraced(function* (perRound: number, webhooks: number) {
    yield* take(WARM_UP_LEDGERS, webhooks)
    const before = yield* bytesNow
    const rounds = yield* Effect.forEach(Array.from({ length: ROUNDS }), () => take(perRound, webhooks))
    const least = (part: "program" | "database") => Math.min(...rounds.map((round) => round[part]))
    return {
      events: rounds.reduce((sum, { events }) => sum + events, 0),
      deliveries: rounds.reduce((sum, { deliveries }) => sum + deliveries, 0),
      program: least("program"),
      database: least("database"),
      before,
      after: yield* bytesNow
    } satisfies Phase
  })
  const grown = ({ before, after }: Phase, of: (bytes: Bytes) => number) => of(after) - of(before)

  const plain = yield* phase(LEDGERS_PER_ROUND, 0)
  for (let i = 0; i < RECEIVING_WEBHOOKS; i++)
    yield* createWebhook(client, { url: `http://127.0.0.${i + 1}:${port}/hook`, event_types: ["*"] })
  const delivered = yield* phase(DELIVERED_LEDGERS_PER_ROUND, RECEIVING_WEBHOOKS)

  show("event.cpu.program", plain.program * 1e3, "CPU ms")
  show("event.cpu.database", plain.database * 1e3, "CPU ms")
  const perEvent = (of: (bytes: Bytes) => number) => grown(plain, of) / plain.events
  show(
    "event.disk.tables",
    perEvent(({ tables }) => tables.events),
    "bytes"
  )
  show(
    "event.disk.indexes",
    perEvent(({ indexes }) => indexes.events),
    "bytes"
  )
  show(
    "event.disk.log",
    perEvent(({ tables, indexes }) => tables.log + indexes.log),
    "bytes"
  )
  show(
    "event.wal",
    perEvent(({ wal }) => wal),
    "bytes"
  )

  // What the events of the second phase cost themselves is subtracted.
  const perDelivery = (of: (bytes: Bytes) => number) =>
    (grown(delivered, of) - delivered.events * perEvent(of)) / delivered.deliveries
  const cpuPerDelivery = (part: "program" | "database") =>
    ((delivered[part] - plain[part]) / RECEIVING_WEBHOOKS) * 1e3
  show("delivery.cpu.program", cpuPerDelivery("program"), "CPU ms")
  show("delivery.cpu.database", cpuPerDelivery("database"), "CPU ms")
  show(
    "delivery.disk.tables",
    perDelivery(({ tables }) => tables.deliveries),
    "bytes"
  )
  show(
    "delivery.disk.indexes",
    perDelivery(({ indexes }) => indexes.deliveries),
    "bytes"
  )
  show(
    "delivery.disk.log",
    perDelivery(({ tables, indexes }) => tables.log + indexes.log),
    "bytes"
  )
  show(
    "delivery.wal",
    perDelivery(({ wal }) => wal),
    "bytes"
  )
  show("memory", memoryMebibytesOf(pid) * MIB, "bytes")

  const store = Effect.fnUntraced(function* (filters: number) {
    const before = yield* bytesNow
    for (let i = 0; i < STORED_WEBHOOKS; i++)
      yield* createWebhook(client, {
        url: `https://customer-${i}.example/hook`,
        event_types: ["payment.*"],
        account_filters: Array.from({ length: filters }, (_, n) =>
          addressOfAccountId((i * FILTERS + n).toString(16).toUpperCase().padStart(40, "C"))
        )
      })
    const after = yield* bytesNow
    const size = ({ tables, indexes }: Bytes) => tables.webhooks + indexes.webhooks + tables.log + indexes.log
    return (size(after) - size(before)) / STORED_WEBHOOKS
  })
  const bare = yield* store(0)
  show("webhook.disk", bare, "bytes")
  show("filter.disk", ((yield* store(FILTERS)) - bare) / FILTERS, "bytes")
})

const benchmark: Benchmark = {
  description: "what an event, a delivery, a webhook and an account filter cost: CPU, bytes on disk, WAL",
  target: "reported",
  run: Effect.fnUntraced(function* (report) {
    const url = yield* databaseUrl
    yield* measure(url, report).pipe(
      Effect.provide(
        Sql.layer({ command: "ledgerhook bench", owner: true }).pipe(
          Layer.provide(
            settingsLayer({ DATABASE_URL: url, SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") })
          )
        )
      )
    )
  })
}

export default benchmark
