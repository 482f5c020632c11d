/**
 * What an operator does in the first month, with an installed package and under load: start, watch with Prometheus,
 * move to PostgreSQL and Kafka while a replay of history runs, lose a process, restore a dump, restore a backup. At the
 * end every event of every ledger was delivered under one id, and the chain of ledgers is whole in both stores.
 */
import { execFile } from "node:child_process"
import { chownSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { type ClosedLedger, expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { rippleToUnixMs } from "../../../src/spine/event/Ledger.ts"
import { freePort } from "../../kafka/javaServer.ts"
import { makeReceiver, signatureHolds } from "../deliver/receiver.ts"
import { type ApiClient, allDeliveries, apiClient, createWebhook, waitUntil } from "../http/apiClient.ts"
import { makeSimulatedLedger } from "../ledger/simulatedLedger.ts"
import { startProcess } from "../program/serviceProcess.ts"
import { startPrometheus } from "../servers/prometheus.ts"
import { startSystemPostgres } from "../store/systemPostgres.ts"
import { ADMIN_KEY, jobOf, replay } from "./replayRun.ts"

const PAST_LEDGERS = 100
/** A replay is stopped after its first batch. */
const MOVED_AT = 250

export interface Walk {
  /** An empty folder. */
  readonly folder: string
  /** The installed command. */
  readonly program: string
  /** The user that runs it; undefined: this one. */
  readonly uid: number | undefined
  readonly kafka: Readonly<Record<string, string>>
}

/** The commands of the documented dump, line by line. */
const dumpCommands = (): ReadonlyArray<string> =>
  /```sh\n(pg_dump[^`]+)```/.exec(readFileSync("docs/operations.md", "utf8"))![1]!.trim().split("\n")

/** Deliveries that nothing changes any more, and those whose retry is due after the test. */
const settledDeliveries = Effect.fnUntraced(function* (client: ApiClient) {
  const listed = yield* allDeliveries(client)
  const some = ["retrying", "delivered"].flatMap((wanted) =>
    listed.filter(({ status }) => status === wanted).slice(0, 50)
  )
  const all = yield* Effect.forEach(some, ({ id }) => client.call("GET", `/v1/deliveries/${id}`))
  return all
    .map(({ body }) => body as Readonly<Record<string, unknown>>)
    .filter(({ next_attempt_at: at }) => at === null || Date.parse(String(at)) > Date.now() + 240_000)
})

export const operatorWalk = Effect.fnUntraced(function* ({ folder, program, uid, kafka }: Walk) {
  const user = uid === undefined ? {} : { uid }
  const cwd = join(folder, "service")
  mkdirSync(cwd)
  if (uid !== undefined) chownSync(cwd, uid, -1)
  const ledger = yield* makeSimulatedLedger({
    seed: 17,
    networkId: 0,
    transactionsPerLedger: 10,
    hashing: "digest"
  })
  const past: Array<ClosedLedger> = []
  while (past.length < PAST_LEDGERS) past.push(yield* ledger.close)
  const first = past.at(-1)!.header.ledger_index + 1
  const expected = new Set<string>()
  let hasWebhook = false
  const load = yield* ledger.close.pipe(
    // A webhook gets what is routed after it was made, so nothing is expected of the ledgers before.
    Effect.tap((closed) =>
      Effect.sync(() => {
        if (hasWebhook) for (const id of expectedEventIds(closed)) expected.add(id)
      })
    ),
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.forkScoped
  )
  const seen = new Set<string>()
  const receiver = yield* makeReceiver(({ deliveryId }, response) => {
    const kind = seen.has(deliveryId) ? 2 : seen.size % 10
    seen.add(deliveryId)
    if (kind > 1) return 200
    response.writeHead(503, { "Retry-After": kind === 0 ? "600" : "10" }).end()
    return "handled"
  })

  const port = yield* Effect.promise(freePort)
  const embedded = {
    ADMIN_KEY,
    PORT: String(port),
    DATA_DIR: join(cwd, "data"),
    XRPL_MAINNET_URLS: ledger.url,
    XRPL_MAINNET_HISTORY_URLS: ledger.url,
    XRPL_MAINNET_START: String(first),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
    // Reads the log of the other store with the prefix that the test has on the shared cluster.
    KAFKA_TOPIC_PREFIX: kafka["KAFKA_TOPIC_PREFIX"] ?? ""
  }
  const tools = yield* startSystemPostgres(join(folder, "postgres"))
  const moved = { ...embedded, ...kafka, DATABASE_URL: tools.DATABASE_URL }
  const ledgerhook = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const env = { PATH: process.env["PATH"], ...environment }
      const { stdout } = await promisify(execFile)(program, args, { ...user, cwd, env, timeout: 300_000 })
      return stdout
    })
  const shell = (command: string) =>
    Effect.promise(() => promisify(execFile)("sh", ["-ec", command], { cwd: folder, env: tools }))
  const start = (environment: Readonly<Record<string, string>>) =>
    startProcess(environment, /Ledgerhook API: \S+/, program, ["start"], { ...user, cwd })
  const client = apiClient(`http://127.0.0.1:${port}`, ADMIN_KEY)
  const prometheus = yield* startPrometheus(join(folder, "prometheus"), `127.0.0.1:${port}`)

  // From the embedded store to PostgreSQL and Kafka, while a replay runs and ledgers close.
  const before = yield* start(embedded)
  const { id: webhookId, secret } = yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
  hasWebhook = true
  yield* receiver.until((received) => received.length >= 40)
  const [oldest, newest] = [past.at(1)!, past.at(-1)!].map(({ header }) =>
    new Date(rippleToUnixMs(header.close_time)).toISOString()
  )
  const { job_id: job } = yield* replay(client, {
    webhook_id: webhookId,
    filters: { since: oldest, until: newest }
  })
  yield* waitUntil(
    Effect.map(jobOf(client, job), (one) => one.processed_events >= MOVED_AT),
    "240 seconds"
  )
  const kept = yield* settledDeliveries(client)
  assert.isTrue(kept.some(({ status }) => status === "retrying"))
  yield* before.kill
  yield* shell("createdb ledgerhook")
  const target = ["--database-url", tools.DATABASE_URL, "--kafka-brokers", kafka["KAFKA_BROKERS"] ?? ""]
  const { ledgers_verified: verified } = JSON.parse(yield* ledgerhook(embedded, "move", ...target))
  assert.isAbove(verified, 0)
  const after = yield* start(moved)
  for (const delivery of kept) {
    const { body } = yield* client.call("GET", `/v1/deliveries/${delivery["id"]}`)
    assert.deepStrictEqual(body as unknown, delivery)
  }
  yield* waitUntil(
    Effect.map(jobOf(client, job), ({ status }) => status === "completed"),
    "240 seconds"
  )
  const replayed = new Set(past.slice(2, -1).flatMap(expectedEventIds))
  assert.strictEqual((yield* jobOf(client, job)).processed_events, replayed.size)
  yield* prometheus.clears("LedgerhookProcessDown")

  // A process dies. The database is dumped, destroyed and restored meanwhile.
  yield* after.kill
  yield* prometheus.fires("LedgerhookProcessDown")
  const [dump = "", restore = ""] = dumpCommands()
  for (const command of [dump, "dropdb ledgerhook", restore]) yield* shell(command)
  const restored = yield* start(moved)
  yield* prometheus.clears("LedgerhookProcessDown")

  // Nothing is lost, and nothing has two ids.
  yield* Fiber.interrupt(load)
  const live = Effect.map(allDeliveries(client), (all) => all.filter(({ event_id: id }) => expected.has(id)))
  const all = yield* Effect.map(live, (found) => found).pipe(
    Effect.repeat({
      until: (found) => found.length >= expected.size && found.every(({ status }) => status !== "pending"),
      schedule: Schedule.spaced("500 millis")
    }),
    Effect.timeout("240 seconds")
  )
  assert.strictEqual(all.length, expected.size)
  assert.deepStrictEqual(new Set(all.map(({ event_id: id }) => id)), expected)
  const again = (yield* allDeliveries(client)).filter(({ event_id: id }) => replayed.has(id))
  assert.strictEqual(again.length, replayed.size)
  for (const one of receiver.received) assert.isTrue(signatureHolds(secret, one))
  yield* restored.kill
  const last = (yield* ledger.head).header.ledger_index
  yield* ledgerhook(moved, "ledger", "verify", "--from", String(first), "--to", String(last))

  // The embedded store is as it was: backed up, destroyed and restored.
  const backup = join(cwd, "ledgerhook.backup")
  yield* ledgerhook(embedded, "backup", backup)
  rmSync(embedded.DATA_DIR, { recursive: true })
  yield* ledgerhook(embedded, "restore", backup)
  const to = String(first + verified - 1)
  yield* ledgerhook(embedded, "ledger", "verify", "--from", String(first), "--to", to)
  yield* ledgerhook(embedded, "doctor")
})
