/**
 * Measures what an event and a delivery cost each process of a cluster, PostgreSQL and Kafka, at a steady pace: CPU
 * beyond what they take while nothing happens, and bytes that they write. Five processes share the roles as
 * docs/deploy.md does. Then the processes that deliver are away while a backlog grows, and it measures how fast they
 * work it off and the most memory each process has had. It needs a Kafka broker, and Linux for /proc.
 */
import { globSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Sql from "../src/spine/store/Sql.ts"
import { missing } from "../test/kafka/broker.ts"
import { apiClient, createWebhook, waitUntil } from "../test/support/http/apiClient.ts"
import { startProcess } from "../test/support/program/serviceProcess.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { startChild } from "./support/Child.ts"
import { cpuSecondsBelow, cpuSecondsOf, peakMebibytesOf, pidsBelowNamed } from "./support/cpu.ts"
import { broker, databaseUrl } from "./support/kafka.ts"
import { eventsOf } from "./support/ledgerEvents.ts"
import { FIRST_LEDGER_INDEX, makeLedgers } from "./support/ledgers.ts"
import { settingsLayer } from "./support/store.ts"
import { type Bytes, bytesNow } from "./support/storeBytes.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
/** The processes of docs/deploy.md. */
const groups = ["api", "ingest", "events,route", "deliver,delay", "replay"] as const
type Group = (typeof groups)[number]
const DELIVERS: Group = "deliver,delay"

const WEBHOOKS = 10
/** With so many, a ledger has about 72 events: at a ledger a second, 720 deliveries a second. */
const TRANSACTIONS = 70
const LEDGER_EVERY_MS = 1_000
/** A new process is busy for some time: it joins its groups, and V8 compiles; the broker's Java as well. */
const WARM_UP_LEDGERS = 150
const WARM_UP_EVERY_MS = 200
const PHASE_LEDGERS = 60
/** Leases, markers and statistics of the last ledger are written by then. */
const SETTLE_MS = 30_000
const IDLE_MS = 60_000
/** About 144,000 deliveries: more than the processes that deliver keep in memory. */
const OUTAGE_LEDGERS = 200
const LEDGERS = 2 * (WARM_UP_LEDGERS + PHASE_LEDGERS) + OUTAGE_LEDGERS
const MIB = 2 ** 20

interface Cost {
  readonly program: Readonly<Record<Group, number>>
  readonly database: number
  readonly broker: number
}

interface Written extends Bytes {
  /** Bytes of Kafka's segments, by the beginning of the topic's name. */
  readonly topics: (start: string) => number
}

/** Whose CPU is shown, and how it is read. */
const parts: ReadonlyArray<readonly [name: string, of: (cost: Cost) => number]> = [
  ["program", ({ program }) => groups.reduce((sum, group) => sum + program[group], 0)],
  ...groups.map((group) => [group, ({ program }: Cost) => program[group]] as const),
  ["database", ({ database }) => database],
  ["broker", (cost) => cost.broker]
]

const segmentBytes = (folder: string) => {
  const sizes = globSync("*/*.log", { cwd: folder }).map((file) => ({
    file,
    bytes: statSync(join(folder, file)).size
  }))
  return (start: string): number =>
    sizes.filter(({ file }) => file.startsWith(start)).reduce((sum, { bytes }) => sum + bytes, 0)
}

const counted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly events: number; readonly delivered: number }>`
    SELECT (SELECT count(*) FROM events)::float8 AS events,
           (SELECT count(*) FROM deliveries WHERE status = 'delivered')::float8 AS delivered`
  return row!
})

/** The events of the first ledgers, by how many ledgers: `sums[0]` is 0. */
const eventSums = (): ReadonlyArray<number> => {
  let sum = 0
  const ofEach = makeLedgers(LEDGERS, TRANSACTIONS).map(
    ({ result }) => (sum += eventsOf(JSON.parse(result), 0).length)
  )
  return [0, ...ofEach]
}

const measure = Effect.fnUntraced(function* (
  url: string,
  kafka: { readonly brokers: string; readonly data: string },
  report: (figure: Figure) => void
) {
  const show = (name: string, value: number, unit: string) =>
    report({ name: `cluster.${name}`, value, unit, ratio: null, target: null, better: "lower" })
  const sums = eventSums()
  const server = yield* startChild("ledgerServerProgram.ts", [String(LEDGERS), String(TRANSACTIONS)])
  const receiver = yield* startChild("receiverProgram.ts")
  const port = yield* receiver.ask()
  const environment = {
    ADMIN_KEY,
    DATABASE_URL: url,
    KAFKA_BROKERS: kafka.brokers,
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
    XRPL_MAINNET_URLS: `ws://127.0.0.1:${yield* server.ask()}`,
    XRPL_MAINNET_START: String(FIRST_LEDGER_INDEX + 1)
  }
  const running = new Map<Group, { readonly pid: number; readonly kill: Effect.Effect<void> }>()
  const startGroup = Effect.fnUntraced(function* (group: Group) {
    const ready = group === "api" ? /Ledgerhook API: (\S+)/ : /starting/
    const started = yield* startProcess({ ...environment, ROLES: group, LOG_LEVEL: "info" }, ready)
    running.set(group, started)
    return started
  })
  const { match } = yield* startGroup("api")
  for (const group of groups) if (group !== "api") yield* startGroup(group)
  const client = apiClient(match[1]!, ADMIN_KEY)

  /** CPU seconds so far. */
  const costNow = (): Cost => {
    const brokerPids = pidsBelowNamed("java")
    const pids = [...running.values()].map(({ pid }) => pid)
    const program = Object.fromEntries([...running].map(([group, { pid }]) => [group, cpuSecondsOf(pid)]))
    return {
      // Every group runs.
      program: program as Record<Group, number>,
      broker: brokerPids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
      database: cpuSecondsBelow([...pids, ...brokerPids, server.process.pid, receiver.process.pid])
    }
  }
  const writtenNow = Effect.map(
    bytesNow,
    (bytes): Written => ({ ...bytes, topics: segmentBytes(kafka.data) })
  )

  let ledgers = 0
  let expected = 0
  /** Makes the next ledgers known, one every `everyMs`. */
  const serve = Effect.fnUntraced(function* (more: number, everyMs: number) {
    for (let i = 0; i < more; i++) {
      yield* server.ask(++ledgers)
      yield* Effect.sleep(everyMs)
    }
  })
  const settled = (webhooks: number, from: number) => {
    expected += (sums[ledgers]! - sums[from]!) * webhooks
    return waitUntil(
      Effect.map(counted, ({ events, delivered }) => events === sums[ledgers] && delivered === expected),
      "600 seconds"
    )
  }
  const costOver = (before: Cost, after: Cost) => (of: (cost: Cost) => number) => of(after) - of(before)

  const phase = Effect.fnUntraced(function* (webhooks: number) {
    const warm = ledgers
    yield* serve(WARM_UP_LEDGERS, WARM_UP_EVERY_MS)
    yield* settled(webhooks, warm)
    const from = ledgers
    const began = performance.now()
    const [before, writtenBefore] = [costNow(), yield* writtenNow]
    yield* serve(PHASE_LEDGERS, LEDGER_EVERY_MS)
    yield* settled(webhooks, from)
    const [after, written] = [costNow(), yield* writtenNow]
    return {
      events: sums[ledgers]! - sums[from]!,
      before,
      after,
      ms: performance.now() - began,
      writtenBefore,
      written
    }
  })

  const plainPhase = yield* phase(0)
  // Here, because before its first ledger a process asks for ledgers all the time.
  yield* Effect.sleep(SETTLE_MS)
  const idleBefore = costNow()
  yield* Effect.sleep(IDLE_MS)
  const idle = costOver(idleBefore, costNow())
  const perCore = 100_000 / IDLE_MS
  for (const [name, of] of parts) show(`idle.cpu.${name}`, idle(of) * perCore, "% of a core")

  const perEvent = ({
    events,
    before,
    after,
    ms,
    writtenBefore,
    written
  }: Effect.Success<ReturnType<typeof phase>>) => ({
    events,
    cpu: (of: (cost: Cost) => number) =>
      ((costOver(before, after)(of) - (idle(of) * ms) / IDLE_MS) / events) * 1e3,
    bytes: (of: (bytes: Written) => number) => (of(written) - of(writtenBefore)) / events
  })
  type PerEvent = ReturnType<typeof perEvent>

  const plain = perEvent(plainPhase)
  for (let i = 0; i < WEBHOOKS; i++)
    yield* createWebhook(client, { url: `http://127.0.0.${i + 1}:${port}/hook`, event_types: ["*"] })
  const delivered = perEvent(yield* phase(WEBHOOKS))
  const showPhase = (name: string, { cpu, bytes }: PerEvent) => {
    for (const [part, of] of parts) show(`${name}.cpu.${part}`, cpu(of), "CPU ms")
    show(
      `${name}.wal`,
      bytes(({ wal }) => wal),
      "bytes"
    )
    show(
      `${name}.topics.public`,
      bytes(({ topics }) => topics("xrpl.")),
      "bytes"
    )
    show(
      `${name}.topics.work`,
      bytes(({ topics }) => topics("webhooks.")),
      "bytes"
    )
    show(
      `${name}.topics.all`,
      bytes(({ topics }) => topics("")),
      "bytes"
    )
  }
  showPhase("event", plain)
  // What the events of the second phase cost themselves is subtracted.
  showPhase("delivery", {
    events: delivered.events,
    cpu: (of) => (delivered.cpu(of) - plain.cpu(of)) / WEBHOOKS,
    bytes: (of) => (delivered.bytes(of) - plain.bytes(of)) / WEBHOOKS
  })
  const showMemory = (when: string) => {
    for (const [group, { pid }] of running)
      show(`${when}.memory.${group}`, peakMebibytesOf(pid) * MIB, "bytes")
    const [brokerPid] = pidsBelowNamed("java")
    if (brokerPid !== undefined) show(`${when}.memory.broker`, peakMebibytesOf(brokerPid) * MIB, "bytes")
  }
  showMemory("paced")

  yield* running.get(DELIVERS)!.kill
  const from = ledgers
  ledgers += OUTAGE_LEDGERS
  yield* server.ask(ledgers)
  const head = FIRST_LEDGER_INDEX + ledgers
  const [webhook] = (yield* client.call("GET", "/v1/webhooks")).body["data"] as unknown as ReadonlyArray<{
    id: string
  }>
  yield* waitUntil(
    Effect.map(
      client.call("GET", `/v1/webhooks/${webhook!.id}/progress`),
      ({ body }) => (body["routed_through"] as unknown) === head
    ),
    "600 seconds"
  )
  yield* startGroup(DELIVERS)
  const began = performance.now()
  yield* settled(WEBHOOKS, from)
  const deliveries = (sums[ledgers]! - sums[from]!) * WEBHOOKS
  show("outage.deliveries", deliveries, "deliveries")
  show("outage.speed", deliveries / ((performance.now() - began) / 1e3), "deliveries/s")
  showMemory("outage")
})

const benchmark: Benchmark = {
  description:
    "what an event and a delivery cost five processes, PostgreSQL and Kafka, and how they end an outage",
  target: "reported",
  run: Effect.fnUntraced(function* (report) {
    const lacking = missing()
    if (lacking !== undefined) return yield* Effect.logWarning(`cluster is left out: there is no ${lacking}`)
    const url = yield* databaseUrl
    const kafka = yield* broker
    yield* measure(url, kafka, report).pipe(
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
