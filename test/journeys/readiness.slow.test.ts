/** A process reports its state on its port, whatever its roles are. Also tests when it reports that it is ready. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { networkInterfaces, tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { roles } from "../../src/app/Roles.ts"
import { eventually } from "../support/deliver/delivering.ts"
import { startProcess } from "../support/program/serviceProcess.ts"
import { settingsLayer } from "../support/program/settings.ts"
import { TestDatabase } from "../support/store/postgres.ts"

const KEY = `svc_live_${"k".repeat(40)}`

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0)))
  })
})

const statusOf = (url: string, headers: Record<string, string> = {}) =>
  Effect.tryPromise(() => fetch(url, { headers }).then(({ status }) => status))

/** The image's own check, as Docker runs it. */
const checkCommand: ReadonlyArray<string> = JSON.parse(
  /^HEALTHCHECK [^[]*(\[.*\])$/m.exec(readFileSync("Dockerfile", "utf8").replaceAll("\\\n", " "))![1]!
)

describe("the report of the service", () => {
  const [outside] = Object.values(networkInterfaces())
    .flat()
    .flatMap((one) => (one !== undefined && !one.internal && one.family === "IPv4" ? [one.address] : []))

  it.live.skipIf(outside === undefined)("is served to this machine only, without OPS_PORT", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* Layer.build(
        Layer.fresh(roles).pipe(
          Layer.provide(settingsLayer({ ROLES: "delay", HOST: "0.0.0.0", PORT: String(port) }))
        )
      )
      assert.strictEqual(yield* statusOf(`http://127.0.0.1:${port}/status`), 200)
      assert.strictEqual(yield* statusOf(`http://${outside}:${port}/status`), 404)
      assert.strictEqual(yield* statusOf(`http://${outside}:${port}/healthz`), 200)
    }).pipe(Effect.scoped, Effect.provide(TestDatabase))
  )
})

describe("readiness", () => {
  it.live("comes after the first account and its key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const port = yield* freePort
      const url = `http://127.0.0.1:${port}`
      const locked = yield* Deferred.make<void>()
      const unlock = yield* Deferred.make<void>()
      // No process creates an account meanwhile.
      const lock = yield* Effect.forkChild(
        sql.withTransaction(
          sql`LOCK TABLE accounts IN EXCLUSIVE MODE`.pipe(
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(Deferred.await(unlock))
          )
        )
      )
      yield* Deferred.await(locked)
      yield* Effect.forkScoped(
        Layer.build(
          Layer.fresh(roles).pipe(
            Layer.provide(settingsLayer({ ROLES: "api", PORT: String(port), ADMIN_KEY: KEY }))
          )
        )
      )
      // Nothing waits for the lock when the test ends.
      yield* Effect.addFinalizer(() => Deferred.succeed(unlock, undefined))
      yield* eventually(Effect.map(statusOf(`${url}/healthz`), (status) => assert.strictEqual(status, 200)))
      for (const path of ["/readyz", "/readyz/traffic"])
        assert.strictEqual(yield* statusOf(url + path), 503, path)
      yield* Deferred.succeed(unlock, undefined)
      yield* Fiber.join(lock)
      yield* eventually(Effect.map(statusOf(`${url}/readyz`), (status) => assert.strictEqual(status, 200)))
      assert.strictEqual(yield* statusOf(`${url}/readyz/traffic`), 200)
      assert.strictEqual(yield* statusOf(`${url}/v1/account`, { "x-service-key": KEY }), 200)
    }).pipe(Effect.scoped, Effect.provide(TestDatabase))
  )

  it.live("has a port of its own with OPS_PORT, in a process with the API and in one without", () =>
    Effect.gen(function* () {
      const [port, opsPort] = [yield* freePort, yield* freePort]
      const [open, own] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${opsPort}`]
      const start = (environment: Readonly<Record<string, string>>) =>
        Layer.build(Layer.fresh(roles).pipe(Layer.provide(settingsLayer(environment))))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* start({ ROLES: "api", PORT: String(port), OPS_PORT: String(opsPort), ADMIN_KEY: KEY })
          for (const path of ["/healthz", "/readyz", "/readyz/database", "/metrics", "/status"]) {
            assert.strictEqual(yield* statusOf(own + path), 200, path)
            assert.strictEqual(yield* statusOf(open + path), 404, path)
          }
          assert.strictEqual(yield* statusOf(`${open}/v1/account`, { "x-service-key": KEY }), 200)
          assert.strictEqual(yield* statusOf(`${own}/v1/account`, { "x-service-key": KEY }), 404)
        })
      )
      yield* start({ ROLES: "delay", PORT: String(port), OPS_PORT: String(opsPort) })
      assert.strictEqual(yield* statusOf(`${own}/readyz/delay`), 200)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(statusOf(`${open}/healthz`))), "nothing is on PORT")
    }).pipe(Effect.scoped, Effect.provide(TestDatabase))
  )

  it.live("is served by a process without the API, with health and metrics, and nothing else", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-readiness-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const { match, kill } = yield* startProcess(
        { DATA_DIR: folder, ROLES: "deliver,delay", XRPL_MAINNET_URLS: "" },
        /Ledgerhook health and metrics: (\S+)/
      )
      const url = match[1]!
      for (const path of ["/healthz", "/metrics", "/status"])
        assert.strictEqual(yield* statusOf(`${url}${path}`), 200)
      yield* eventually(Effect.map(statusOf(`${url}/readyz`), (status) => assert.strictEqual(status, 200)))
      for (const path of ["/v1/webhooks", "/docs", "/openapi.json", "/"])
        assert.strictEqual(yield* statusOf(`${url}${path}`), 404)
      const [, ...args] = checkCommand
      const check = () =>
        spawnSync(process.execPath, args, { env: { PORT: new URL(url).port }, timeout: 30_000 }).status
      assert.strictEqual(check(), 0)
      yield* kill
      assert.strictEqual(check(), 1)
    }).pipe(Effect.scoped)
  )
})
