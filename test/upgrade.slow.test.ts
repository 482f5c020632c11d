/**
 * The present program opens the stores that earlier versions have left (test/support/upgrade/fixture.ts): it restores
 * their backup, migrates, answers as they did, and continues at the next ledger with the retries, jobs, mails and
 * changes that waited. The clock of the test begins some minutes after the store was made, however long ago that is.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import packageJson from "../package.json" with { type: "json" }
import { service } from "../src/app/Roles.ts"
import { expectedEventIds } from "../src/features/simulator/Chain.ts"
import { Settings } from "../src/spine/config/Config.ts"
import { apiPart, Health } from "../src/spine/observe/Health.ts"
import { migrate } from "../src/spine/store/Migrations.ts"
import * as Sql from "../src/spine/store/Sql.ts"
import { deliveryIdsOf, makeReceiver } from "./support/deliver/receiver.ts"
import { type ApiClient, allDeliveries, apiClient, waitUntil } from "./support/http/apiClient.ts"
import { makeSimulatedLedger } from "./support/ledger/simulatedLedger.ts"
import { runProgram } from "./support/program/program.ts"
import { testSettings } from "./support/program/settings.ts"
import { backupFile, storeList, upgradableVersions } from "./support/upgrade/fixture.ts"
import { schemaList } from "./support/upgrade/schema.ts"

/** After this, every retry of the store is due. */
const LATER_MS = 600_000

interface Coverage {
  readonly ranges: ReadonlyArray<{
    readonly first: { readonly ledger_index: number }
    readonly last: { readonly ledger_index: number }
  }>
}

const clockFrom = (startMs: number) =>
  Effect.map(Clock.Clock, (real): Clock.Clock => {
    const offset = startMs - real.currentTimeMillisUnsafe()
    const now = () => real.currentTimeMillisUnsafe() + offset
    // Sleeps are those of the real clock.
    return Object.assign(Object.create(real), {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now)
    })
  })

/** A delivery's request is shown as the present program makes it. */
const sentNow = (body: object, version: string): unknown =>
  JSON.parse(
    JSON.stringify(body).replaceAll(`"Ledgerhook/${version}"`, `"Ledgerhook/${packageJson.version}"`)
  )

/** Fails unless `actual` has everything of `expected`. It may have more fields. */
const includes = (actual: unknown, expected: unknown, path: string): void => {
  if (typeof expected !== "object" || expected === null || actual === null) {
    assert.deepStrictEqual(actual, expected, path)
    return
  }
  if (Array.isArray(expected)) assert.lengthOf(actual as ReadonlyArray<unknown>, expected.length, path)
  for (const [field, value] of Object.entries(expected))
    includes((actual as Readonly<Record<string, unknown>>)[field], value, `${path}.${field}`)
}

/** The service in the test's own process, so that it has the test's clock. */
const startHere = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      Layer.fresh(service("ledgerhook start")).pipe(
        Layer.provide(Layer.succeed(Settings, testSettings(environment)))
      )
    )
    const health = yield* Context.get(context, Health).get(apiPart)
    return { url: String(health?.facts?.["address"]), sql: Context.get(context, SqlClient.SqlClient) }
  })

const opens = (version: string, dataDir: string) =>
  Effect.gen(function* () {
    const list = storeList(version)
    const { code, stderr } = runProgram(["restore", backupFile(version)], {
      cwd: tmpdir(),
      environment: { DATA_DIR: dataDir }
    })
    assert.strictEqual(code, 0, stderr)
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* schemaList, list.tables, "a migration that has landed was changed")
      yield* migrate
    }).pipe(
      Effect.provide(
        Sql.unmigratedLayer({ command: "test", owner: true }).pipe(
          Layer.provide(Layer.succeed(Settings, testSettings({ DATA_DIR: dataDir })))
        )
      )
    )

    const ledger = yield* makeSimulatedLedger({
      seed: 5,
      networkId: 0,
      transactionsPerLedger: 8,
      firstLedgerIndex: list.mainnet.last.ledgerIndex + 1,
      parent: list.mainnet.last
    })
    const environment = { DATA_DIR: dataDir, XRPL_MAINNET_URLS: ledger.url, SECRETS_KEY: "" }
    const receiver = yield* makeReceiver()
    const clientsOf = (url: string) => ({
      live: apiClient(url, list.keys.live),
      test: apiClient(url, list.keys.test)
    })
    const change = (client: ApiClient, id: string, fields: object) =>
      Effect.map(client.call("PATCH", `/v1/webhooks/${id}`, fields), ({ status }) =>
        assert.strictEqual(status, 200)
      )

    // Only the API at first: nothing changes while everything is read.
    const finished = yield* Effect.gen(function* () {
      const clients = clientsOf((yield* startHere({ ...environment, ROLES: "api" })).url)
      for (const { body, key, path } of list.answers) {
        const answer = yield* clients[key].call("GET", path)
        assert.strictEqual(answer.status, 200, path)
        includes(answer.body, sentNow(body, version), path)
      }
      const deliveries = yield* allDeliveries(clients.live)
      for (const [status, count] of Object.entries(list.deliveries))
        assert.lengthOf(
          deliveries.filter((one) => one.status === status),
          count,
          status
        )
      for (const client of [clients.live, clients.test]) {
        const { body } = yield* client.call("GET", "/v1/webhooks?status=active")
        const active = body["data"] as unknown as ReadonlyArray<{ readonly id: string }>
        for (const { id } of active) yield* change(client, id, { url: receiver.url })
      }
      return new Set(
        deliveries.flatMap(({ id, status }) => (status === "delivered" || status === "failed" ? [id] : []))
      )
    }).pipe(Effect.scoped)

    const { sql, url } = yield* startHere(environment)
    const { live } = clientsOf(url)
    const expected: Array<string> = []
    for (let n = 0; n < 3; n++) expected.push(...expectedEventIds(yield* ledger.close))
    const enabled = { url: receiver.url, status: "active", max_per_second: null }
    yield* change(live, list.unfinished.disabledWebhook, enabled)

    const awaited = new Set([...list.unfinished.retrying, ...list.unfinished.waiting])
    const wanted = list.unfinished.webhooks.flatMap((id) => expected.map((event) => `${id} ${event}`))
    const isDone = Effect.map(allDeliveries(live), (all) => {
      const delivered = all.filter(({ status }) => status === "delivered")
      const ids = new Set(delivered.map(({ id }) => id))
      const events = new Set(delivered.map(({ webhook_id, event_id }) => `${webhook_id} ${event_id}`))
      return [...awaited].every((id) => ids.has(id)) && wanted.every((one) => events.has(one))
    })
    yield* waitUntil(isDone, "60 seconds")
    for (const id of list.unfinished.jobs) {
      const ended = Effect.map(live.call("GET", `/v1/replay/${id}`), ({ body }) => body)
      yield* waitUntil(
        Effect.map(ended, ({ status }) => status === "completed"),
        "30 seconds"
      )
    }
    const mail = sql`SELECT 1 FROM mails WHERE cause = ${list.unfinished.mail} AND sent_at IS NOT NULL`
    yield* waitUntil(
      Effect.map(mail, ({ length }) => length === 1),
      "30 seconds"
    )
    const { body: coverage } = yield* live.call("GET", "/v1/ledgers/coverage")
    // One range from the first ledger that the store had: the next ledger links to its last one.
    const [mainnet] = coverage["data"] as unknown as ReadonlyArray<Coverage>
    const [range, ...others] = mainnet?.ranges ?? []
    assert.deepStrictEqual(
      [range?.first.ledger_index, range?.last.ledger_index, others],
      [list.mainnet.first, (yield* ledger.head).header.ledger_index, []]
    )
    const again = receiver.received.flatMap(deliveryIdsOf).filter((id) => finished.has(id))
    assert.deepStrictEqual(again, [], "finished deliveries were sent again")
  })

describe("a store of an earlier version", () => {
  for (const version of upgradableVersions()) {
    it.live(
      `${version} is opened, read and continued`,
      () =>
        Effect.gen(function* () {
          const folder = yield* Effect.acquireRelease(
            Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-upgrade-"))),
            (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
          )
          const clock = yield* clockFrom(Date.parse(storeList(version).created_at) + LATER_MS)
          yield* opens(version, join(folder, "data")).pipe(
            Effect.scoped,
            Effect.provideService(Clock.Clock, clock)
          )
        }),
      180_000
    )
  }
})
