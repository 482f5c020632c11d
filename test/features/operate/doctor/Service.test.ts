/** `doctor` looks at the service that runs: its ports and settings, its parts, its failing webhooks, its open files. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { failingFinding } from "../../../../src/features/operate/doctor/StoredChecks.ts"
import type { Environment } from "../../../../src/spine/config/Config.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../../support/store/rows.ts"
import { examineHere } from "./examining.ts"

const parts = { api: { status: "ok", detail: "listening" } }

/** What a service answers to probes, with these parts; undefined: it closes each connection. */
const probes = (parts: object | undefined) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer((_, response) =>
        parts === undefined ? response.destroy() : response.end(JSON.stringify({ status: "ok", parts }))
      )
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
    // A server that listens on TCP has an address with a port.
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** A process that has the DATA_DIR as a service has it, started in a folder of its own with this `.env`. */
const service = Effect.fnUntraced(function* (
  environment: Record<string, string>,
  dotEnv: string,
  files = ""
) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-running-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const dataDir = join(folder, "data")
  mkdirSync(dataDir)
  writeFileSync(join(folder, ".env"), dotEnv)
  const child = yield* Effect.acquireRelease(
    Effect.callback<ChildProcess>((resume) => {
      const child = spawn("bash", ["-c", `${files} echo; read`], {
        cwd: folder,
        env: { DATA_DIR: "data", ...environment },
        stdio: ["pipe", "pipe", "ignore"]
      })
      child.stdout?.once("data", () => resume(Effect.succeed(child)))
    }),
    (child) => Effect.sync(() => child.kill())
  )
  writeFileSync(join(dataDir, "holder"), `${child.pid}\nledgerhook start`)
  return { dataDir, pid: child.pid! }
})

const examined = (environment: Environment) =>
  Effect.map(
    examineHere({ XRPL_MAINNET_URLS: "", ...environment }),
    (findings) => new Map(findings.map((finding) => [finding.check, finding]))
  )

describe("doctor, beside a running service", () => {
  it.live("checks the port of that service, and names the settings that differ, not their values", () =>
    Effect.gen(function* () {
      const port = yield* probes(parts)
      const { dataDir, pid } = yield* service(
        { PORT: String(port), ADMIN_KEY: "svc_live_hiddenLedgerhookOnThisMachine000" },
        "XRPL_MAINNET_URLS=\nLOG_LEVEL=debug\nPORT=1\n"
      )
      const found = yield* examined({ DATA_DIR: dataDir, PORT: "2", LOG_LEVEL: "info" })
      assert.include(found.get("API port")?.detail, `port ${port} of`)
      assert.include(found.get("API port")?.detail, "used by Ledgerhook")
      assert.deepInclude(found.get("service"), { status: "ok" })
      const settings = found.get("service settings")
      assert.strictEqual(settings?.status, "warning")
      assert.strictEqual(
        settings?.detail,
        `process ${pid} has other values than this command: ADMIN_KEY, LOG_LEVEL, PORT`
      )
      assert.notInclude(JSON.stringify([...found.values()]), "hidden")
      const equal = yield* examined({
        DATA_DIR: dataDir,
        PORT: String(port),
        LOG_LEVEL: "debug",
        ADMIN_KEY: "svc_live_hiddenLedgerhookOnThisMachine000"
      })
      assert.strictEqual(equal.get("service settings")?.status, "ok")
    }).pipe(Effect.scoped)
  )

  it.live("names its parts that are not well, and why", () =>
    Effect.gen(function* () {
      const detail =
        "the database in /data (DATA_DIR): No space left on device (53100); free space on its disk"
      const degraded = yield* probes({ ...parts, database: { status: "degraded", detail } })
      const PORT = String(degraded)
      const DATA_DIR = join(tmpdir(), "ledgerhook-none")
      const one = (yield* examined({ DATA_DIR, PORT })).get("service")
      assert.strictEqual(one?.status, "warning")
      assert.strictEqual(one?.detail, `runs at http://127.0.0.1:${degraded}; database is degraded: ${detail}`)
      const failed = yield* probes({ log: { status: "failed", detail: "no answer" } })
      const other = (yield* examined({ DATA_DIR, PORT: String(failed) })).get("service")
      assert.strictEqual(other?.status, "problem")
    }).pipe(Effect.scoped)
  )

  it.live("says that it may open too few files", () =>
    Effect.gen(function* () {
      const { dataDir, pid } = yield* service({}, "", "ulimit -n 1024;")
      const found = (yield* examined({ DATA_DIR: dataDir, PORT: "0" })).get("open files")
      assert.strictEqual(found?.status, "warning")
      assert.match(
        found?.detail ?? "",
        new RegExp(`^process ${pid}, which has \\d+ open, may open 1024 files .* needs \\d{4}$`)
      )
    }).pipe(Effect.scoped)
  )

  it.live("says that it does not answer on its port", () =>
    Effect.gen(function* () {
      const silent = yield* probes(undefined)
      const { dataDir, pid } = yield* service({ PORT: String(silent) }, "")
      const found = (yield* examined({ DATA_DIR: dataDir })).get("API port")
      assert.strictEqual(found?.status, "problem")
      assert.include(found?.detail, `is in use, and the service (process ${pid}) does not answer there`)
    }).pipe(Effect.scoped)
  )

  it.live("ignores a holder that has ended", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* service({ PORT: "1" }, "")
      writeFileSync(join(dataDir, "holder"), "\nledgerhook start")
      assert.isFalse((yield* examined({ DATA_DIR: dataDir, PORT: "0" })).has("service settings"))
    }).pipe(Effect.scoped)
  )
})

it.live("doctor names failing webhooks, the longest first, and no other", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* insertAccount("acct_1")
    const ids = yield* Effect.forEach([1, 2, 3, 4], () => insertWebhook("acct_1", "sealed"))
    assert.isUndefined(yield* failingFinding)
    const fails = (id: string, since: string, attempts: number) => sql`
      UPDATE webhooks SET failing_since = ${since}::timestamptz, last_failed_at = ${since}::timestamptz,
        failed_attempts = ${attempts}, failed_deliveries = 1, last_error = 'HTTP 500' WHERE id = ${id}`
    yield* fails(ids[0]!, "2026-11-21T10:00:00Z", 5)
    yield* fails(ids[1]!, "2026-11-20T10:00:00Z", 6)
    yield* fails(ids[2]!, "2026-11-19T10:00:00Z", 9)
    // One failed attempt is no failing webhook, as in every other place.
    yield* fails(ids[3]!, "2026-11-18T10:00:00Z", 1)
    yield* sql`UPDATE webhooks SET status = 'disabled' WHERE id = ${ids[2]!}`
    const found = yield* failingFinding
    assert.strictEqual(found?.status, "warning")
    assert.strictEqual(
      found?.detail,
      `2 active webhooks fail; longest: ${ids[1]}: Failing since 2026-11-20 10:00:00 UTC: HTTP 500. 6 attempts of 1 delivery failed. ${ids[0]}: Failing since 2026-11-21 10:00:00 UTC: HTTP 500. 5 attempts of 1 delivery failed.`
    )
  }).pipe(Effect.provide(TestDatabase))
)
