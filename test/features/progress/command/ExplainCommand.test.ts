/** `ledgerhook explain` on its own store shows the same facts as the API, and one sentence for each error. */
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../../src/features/events/EventIndex.ts"
import * as EmbeddedLog from "../../../../src/spine/log/embedded/EmbeddedLog.ts"
import { randomId } from "../../../../src/spine/words/Ids.ts"
import { eventOf } from "../../../support/deliver/events.ts"
import { runCommand } from "../../../support/program/command.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../../support/store/rows.ts"
import { isoSecond, writeLedgers } from "../../replay/replaying.ts"

const scope = Scope.makeUnsafe()
const ACCOUNT = randomId("acct_", 1)
const OTHER = randomId("acct_", 2)
const event = eventOf({ timestamp: isoSecond(Date.now() - 3_600_000) })
const HASH = event.event_id.split(":")[2]!
let environment: Readonly<Record<string, string>>
let webhooks: ReadonlyArray<string>

beforeAll(async () => {
  const prepare = Effect.gen(function* () {
    const options = yield* makeDatabase
    environment = { DATABASE_URL: databaseUrl(options), XRPL_MAINNET_URLS: "", LOG_LEVEL: "warn" }
    const rows = Effect.gen(function* () {
      const ledger = { index: event.ledger_index, closeTime: event.timestamp, events: [event] }
      yield* writeLedgers([ledger])
      yield* insertAccount(ACCOUNT)
      yield* insertAccount(OTHER)
      const ids = yield* Effect.forEach([ACCOUNT, OTHER], (account) => insertWebhook(account))
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhooks SET created_at = now() - interval '1 day' WHERE id = ${ids[1]!}`
      return ids
    })
    webhooks = yield* rows.pipe(
      Effect.provide(Layer.provide(Layer.merge(EmbeddedLog.layer, EventIndex.layer), settingsLayer())),
      Effect.provide(PgClient.layerFrom(PgClient.make({ ...options, maxConnections: 2 })))
    )
  })
  await Effect.runPromise(Scope.provide(prepare, scope))
}, 60_000)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const run = (...args: ReadonlyArray<string>) => runCommand(["explain", ...args], { environment })

describe("ledgerhook explain", () => {
  it.live("shows what became of the transaction for every account's webhooks, or for one", () =>
    Effect.gen(function* () {
      const all = yield* run(HASH.toLowerCase())
      assert.deepStrictEqual([all.code, all.stderr], [0, ""])
      const shown = JSON.parse(all.stdout)
      assert.deepInclude(shown, { transaction: HASH, events_count: 1, webhooks_count: 2 })
      assert.deepStrictEqual(shown.ledger, {
        index: event.ledger_index,
        taken_at: new Date(event.detected_at).toISOString()
      })
      // The first webhook was created after the ledger was ingested. Nothing has routed the event.
      const expected = (id: string) => ({
        webhook_id: id,
        wanted: true,
        reason: id === webhooks[0] ? "not_yet_created" : "queued",
        delivery: null
      })
      assert.sameDeepMembers(shown.events[0].webhooks, webhooks.map(expected))
      for (const args of [
        ["--account", OTHER],
        ["--webhook", webhooks[1]!]
      ]) {
        const one = JSON.parse((yield* run(HASH, ...args)).stdout)
        assert.deepStrictEqual(one.events[0].webhooks, [expected(webhooks[1]!)])
      }
      const byLedger = yield* run("F".repeat(64), "--ledger", String(event.ledger_index))
      assert.deepInclude(JSON.parse(byLedger.stdout), { ledger: shown.ledger, events: [] })
    })
  )

  it.live("says in one sentence what is wrong", () =>
    Effect.gen(function* () {
      const unknown = randomId("wh_", 3)
      for (const [args, sentence] of [
        [["5"], "64 hexadecimal digits"],
        [[HASH, "--webhook", unknown], `there is no webhook ${unknown};`],
        [
          [HASH, "--webhook", webhooks[0]!, "--account", OTHER],
          `there is no webhook ${webhooks[0]} of ${OTHER};`
        ]
      ] as const) {
        const { code, stderr, stdout } = yield* run(...args)
        assert.deepStrictEqual([code !== 0, stdout], [true, ""])
        assert.include(stderr, sentence)
      }
    })
  )
})
