/** `webhook preview` on a store with past events and no service: its counts, and one sentence for a wrong filter. */
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../../src/features/events/EventIndex.ts"
import * as EmbeddedLog from "../../../../src/spine/log/embedded/EmbeddedLog.ts"
import { randomId } from "../../../../src/spine/words/Ids.ts"
import { runCommand } from "../../../support/program/command.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../../support/store/rows.ts"
import { eventsOf, pastLedgers, writeLedgers } from "../../replay/replaying.ts"

const ledgers = pastLedgers(3, 240)
const events = eventsOf(ledgers)
const payments = events.filter(({ event_type }) => event_type === "payment.xrp")
const ACCOUNT = randomId("acct_", 1)
const scope = Scope.makeUnsafe()
let environment: Readonly<Record<string, string>>
let webhookId: string

beforeAll(async () => {
  const prepare = Effect.gen(function* () {
    const options = yield* makeDatabase
    environment = {
      DATABASE_URL: databaseUrl(options),
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      XRPL_MAINNET_URLS: "",
      LOG_LEVEL: "warn"
    }
    const store = yield* Layer.build(PgClient.layerFrom(PgClient.make({ ...options, maxConnections: 2 })))
    const log = Layer.provide(Layer.merge(EmbeddedLog.layer, EventIndex.layer), settingsLayer())
    yield* Effect.gen(function* () {
      yield* writeLedgers(ledgers)
      yield* insertAccount(ACCOUNT)
      webhookId = yield* insertWebhook(ACCOUNT)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE webhooks SET event_types = '{payment.*}', payload_filter = '{"amount": {"$gte": 2}}'
        WHERE id = ${webhookId}`
    }).pipe(Effect.provide(log), Effect.provide(Layer.succeedContext(store)))
  })
  await Effect.runPromise(Scope.provide(prepare, scope))
}, 180_000)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const run = (...args: ReadonlyArray<string>) =>
  runCommand(["webhook", "preview", webhookId, ...args], { environment })

describe("webhook preview", () => {
  it.live("counts with the webhook's own filters", () =>
    Effect.gen(function* () {
      const { code, stdout, stderr } = yield* run("--events", "10000")
      assert.deepStrictEqual([code, stderr], [0, ""])
      const matched = payments.filter(({ payload }) => Number(payload["amount"]) >= 2)
      assert.deepStrictEqual(JSON.parse(stdout), {
        webhook_id: webhookId,
        network: "mainnet",
        examined: events.length,
        candidates: payments.length,
        matched: matched.length,
        by_type: { "payment.xrp": matched.length },
        oldest_at: events[0]!.timestamp,
        newest_at: events.at(-1)!.timestamp,
        sample_event_ids: matched
          .toReversed()
          .slice(0, 5)
          .map(({ event_id }) => event_id)
      })
    })
  )

  it.live("counts with other filters: a family, an account, a payload", () =>
    Effect.gen(function* () {
      const [account] = payments[0]!.accounts
      const flags = ["--type", "payment.*", "--account", account!, "--payload-filter", '{"amount": "0"}']
      const { code, stdout } = yield* run(...flags, "--events", "10000")
      assert.strictEqual(code, 0)
      const candidates = payments.filter(({ accounts }) => accounts.includes(account!))
      const matched = candidates.filter(({ payload }) => payload["amount"] === "0")
      assert.deepInclude(JSON.parse(stdout), { candidates: candidates.length, matched: matched.length })
    })
  )

  it.live("reports wrong filters in one sentence", () =>
    Effect.gen(function* () {
      for (const [args, says] of [
        [["--payload-filter", "{"], /^ledgerhook: --payload-filter: not valid JSON: it ends too early\.\n/],
        [
          ["--payload-filter", '{"amout": 1}'],
          /payload_filter\.amout is not a field of these events; did you mean amount\?\n/
        ],
        [
          ["--type", "trustline.*"],
          /payload_filter\.amount is not a field of the event types asked for; these have it: nft\.offer_created/
        ],
        [["--events", "10001"], /a number from 1 to 10000/]
      ] as const) {
        const { code, stderr } = yield* run(...args)
        assert.strictEqual(code, 2, stderr)
        assert.match(stderr, says)
      }
    })
  )
})
