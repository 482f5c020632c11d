/** A process that is started while PostgreSQL and Kafka are away waits for them, says so, and then starts. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { missing } from "../../kafka/broker.ts"
import { freePort } from "../../kafka/javaServer.ts"
import { apiClient, waitUntil } from "../../support/http/apiClient.ts"
import { ownBroker } from "../../support/log/ownBroker.ts"
import { startProgram } from "../../support/program/program.ts"
import { startProcess } from "../../support/program/serviceProcess.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"

const surroundings = Effect.gen(function* () {
  const port = String(yield* Effect.promise(freePort))
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-start-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const client = apiClient(`http://127.0.0.1:${port}`, "")
  return {
    folder,
    settings: {
      DATA_DIR: join(folder, "data"),
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      PORT: port,
      XRPL_MAINNET_URLS: ""
    },
    status: (path: string) => Effect.map(client.call("GET", path), (answer) => answer.status),
    /** The parts that `/readyz` shows. */
    parts: Effect.map(client.call("GET", "/readyz"), ({ body, status }) => ({
      status,
      names: Object.keys(body["parts"] ?? {}),
      text: JSON.stringify(body)
    }))
  }
})

/** Refuses connections. */
const NOBODY = "127.0.0.1:1"

describe.skipIf(missing() !== undefined)("a process that starts without PostgreSQL and Kafka", () => {
  it.live(
    "opens its port, names what it waits for, and starts as soon as both are there",
    () =>
      Effect.gen(function* () {
        const { parts, settings, status } = yield* surroundings
        const [broker, database] = yield* Effect.all([ownBroker, ownDatabase], { concurrency: "unbounded" })
        yield* Effect.promise(broker.stop)
        yield* database.stop
        const { output } = yield* startProcess(
          { ...settings, DATABASE_URL: database.url, KAFKA_BROKERS: broker.brokers },
          /the start waits for PostgreSQL and Kafka: DATABASE_URL: .+ KAFKA_BROKERS: .+ECONNREFUSED/
        )
        assert.strictEqual(yield* status("/healthz"), 200)
        assert.strictEqual(yield* status("/readyz/traffic"), 503)
        assert.strictEqual(yield* status("/v1/webhooks"), 503)
        const first = yield* parts
        assert.deepStrictEqual([first.status, first.names], [503, ["start", "database", "log"]])

        yield* database.start
        yield* waitUntil(
          Effect.map(parts, ({ names, status }) => status === 503 && names.join() === "start,log"),
          "30 seconds"
        )
        assert.notInclude(output(), "Ledgerhook API")

        yield* Effect.promise(broker.start)
        yield* waitUntil(
          Effect.orElseSucceed(
            Effect.map(status("/readyz"), (ready) => ready === 200),
            () => false
          ),
          "60 seconds"
        )
        assert.include(output(), "Ledgerhook API")
        assert.isAtMost(output().split("the start waits for").length - 1, 4, output())
      }).pipe(Effect.scoped),
    240_000
  )

  it.live("ends in order at SIGTERM while it waits", () =>
    Effect.gen(function* () {
      const { folder, settings } = yield* surroundings
      const program = yield* startProgram(["start"], {
        cwd: folder,
        environment: {
          ...settings,
          DATABASE_URL: `postgres://user:password@${NOBODY}/ledgerhook`,
          KAFKA_BROKERS: NOBODY
        }
      })
      const said = yield* program.said(/the start waits for PostgreSQL and Kafka/)
      assert.notInclude(said, "password")
      yield* program.signal("SIGTERM")
      assert.strictEqual(yield* Effect.timeout(program.ended, "5 seconds"), 0)
    }).pipe(Effect.scoped)
  )

  it.live("ends with a sentence if the database does not exist, or if a port is in use", () =>
    Effect.gen(function* () {
      const { folder, settings } = yield* surroundings
      const database = yield* ownDatabase
      const ended = Effect.fnUntraced(function* (url: string) {
        const environment = { ...settings, DATABASE_URL: url, KAFKA_BROKERS: NOBODY }
        const program = yield* startProgram(["start"], { cwd: folder, environment })
        const last = yield* program.said(/^ledgerhook: /)
        assert.strictEqual(yield* program.ended, 1)
        return last
      })
      assert.match(yield* ended(`${database.url}_unknown`), /DATABASE_URL: .+ does not exist/)
      // Another process waits on this port.
      yield* startProcess({ ...settings, KAFKA_BROKERS: NOBODY }, /the start waits for Kafka/)
      assert.match(yield* ended(database.url), /PORT: \d+ on .+ is in use/)
    }).pipe(Effect.scoped)
  )
})
