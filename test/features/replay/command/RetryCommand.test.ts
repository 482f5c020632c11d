/** `ledgerhook retry`, with and without a running service: its counts, the job that it creates, and its refusals. */
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryStore } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../../src/spine/deliveries/Partitions.ts"
import { monthOf } from "../../../../src/spine/domain/Quota.ts"
import { randomId } from "../../../../src/spine/words/Ids.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { runCommand } from "../../../support/program/command.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"
import { setUsage } from "../../../support/store/rows.ts"
import { isRetryable, type MadeDelivery, makeDeliveries } from "../retrying.ts"

const ACCOUNT = randomId("acct_", 1)
const scope = Scope.makeUnsafe()
let environment: Readonly<Record<string, string>>
let store: Context.Context<SqlClient.SqlClient>
let webhookId: string
let retryable: ReadonlyArray<MadeDelivery>

beforeAll(async () => {
  const prepare = Effect.gen(function* () {
    const options = yield* makeDatabase
    environment = {
      DATABASE_URL: databaseUrl(options),
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      XRPL_MAINNET_URLS: "",
      LOG_LEVEL: "warn"
    }
    store = yield* Layer.build(PgClient.layerFrom(PgClient.make({ ...options, maxConnections: 2 })))
    const statuses = ["failed", "delivered", "retrying"] as const
    const made = yield* makeDeliveries(30, (i) => statuses[i % 3]!, { account: ACCOUNT }).pipe(
      Effect.provide(
        Layer.provide(Layer.mergeAll(MemoryLog.layer, DeliveryStore.layer, Partitions.layer), settingsLayer())
      ),
      Effect.provide(Layer.succeedContext(store))
    )
    webhookId = made.webhookId
    retryable = made.made.filter(isRetryable)
  })
  await Effect.runPromise(Scope.provide(prepare, scope))
}, 60_000)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const run = (...args: ReadonlyArray<string>) =>
  runCommand(["retry", "--webhook", webhookId, ...args], { environment })
const statement = (text: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
  Effect.provide(Effect.flatMap(SqlClient.SqlClient, text), store)

/** The error message of the failed command. */
const fault = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* run(...args)
  assert.deepStrictEqual([code === 0, stdout], [false, ""])
  return stderr
})

describe("ledgerhook retry", () => {
  it.live("counts by type with --dry-run, and makes a job without it", () =>
    Effect.gen(function* () {
      const counted = JSON.parse((yield* run("--dry-run", "--status", "failed")).stdout)
      assert.deepInclude(counted, { webhook_id: webhookId, network: "mainnet", matched: 10 })
      const nfts = retryable.filter(({ event }) => event.event_type === "nft.minted").length
      const families = JSON.parse((yield* run("--dry-run", "--type", "nft.*")).stdout)
      assert.deepStrictEqual(families.by_type, nfts === 0 ? {} : { "nft.minted": nfts })
      const { code, stdout } = yield* run()
      assert.strictEqual(code, 0)
      const job = JSON.parse(stdout)
      assert.deepInclude(job, { mode: "retry", status: "queued", total_events: 20, account_id: ACCOUNT })
      const listed = yield* runCommand(["replay", "list"], { environment })
      assert.strictEqual(JSON.parse(listed.stdout)[0].job_id, job.job_id)
      const cancelled = yield* runCommand(["replay", "cancel", job.job_id], { environment })
      assert.deepInclude(JSON.parse(cancelled.stdout), { mode: "retry", status: "cancelled" })
    })
  )

  it.live("says in one sentence what cannot be done", () =>
    Effect.gen(function* () {
      assert.match(yield* fault("--dry-run", "--watch"), /--dry-run queues nothing/)
      assert.match(
        yield* fault("--since", "2026-11-21T00:00:00Z", "--until", "2026-11-20T00:00:00Z"),
        /--since must be before --until/
      )
      assert.match(yield* fault("--status", "delivered"), /status/)
      assert.match(yield* fault("--type", "nft.stolen"), /an event type .* or a family/)
      const unknown = yield* runCommand(["retry", "--webhook", randomId("wh_", 1)], { environment })
      assert.match(unknown.stderr, /there is no webhook/)
      yield* statement((sql) => sql`UPDATE webhooks SET status = 'disabled' WHERE id = ${webhookId}`)
      assert.match(yield* fault(), /is disabled/)
      yield* statement((sql) => sql`UPDATE webhooks SET status = 'active' WHERE id = ${webhookId}`)
      yield* statement((sql) => sql`UPDATE accounts SET plan = 'developer' WHERE id = ${ACCOUNT}`)
      assert.strictEqual((yield* run()).code, 0)
      assert.match(yield* fault(), /may have 1 queued or running replay jobs/)
      yield* statement((sql) => sql`DELETE FROM replay_jobs`)
      yield* Effect.provide(setUsage(ACCOUNT, monthOf(Date.now()), 1_000_000), store)
      assert.match(yield* fault(), /quota of .* is used up/)
      yield* statement((sql) => sql`DELETE FROM delivery_usage`)
      yield* statement((sql) => sql`UPDATE accounts SET plan = 'enterprise' WHERE id = ${ACCOUNT}`)
    })
  )
})
