/**
 * The operator's replay commands on their own store, with past ledgers in its log: the counts of a dry run, the
 * deliveries that a job queues, and one sentence for each error. Commands that are signalled are real processes.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { service } from "../../../../src/app/Roles.ts"
import { EventIndex } from "../../../../src/features/events/EventIndex.ts"
import { monthOf } from "../../../../src/spine/domain/Quota.ts"
import * as EmbeddedLog from "../../../../src/spine/log/embedded/EmbeddedLog.ts"
import { randomId } from "../../../../src/spine/words/Ids.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"
import { runCommand } from "../../../support/program/command.ts"
import { startProgram } from "../../../support/program/program.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { databaseUrl, makeDatabase } from "../../../support/store/postgres.ts"
import { insertAccount, insertWebhook, setUsage } from "../../../support/store/rows.ts"
import { eventsOf, pastLedgers, writeLedgers } from "../replaying.ts"

const cwd = mkdtempSync(join(tmpdir(), "ledgerhook-replay-"))
const scope = Scope.makeUnsafe()
let environment: Readonly<Record<string, string>>
let store: Context.Context<SqlClient.SqlClient>

/** Few enough to be queued while nobody delivers. */
const ledgers = pastLedgers(3, 240)
const events = eventsOf(ledgers)
const nfts = events.filter(({ event_type }) => event_type.startsWith("nft."))
const ACCOUNT = randomId("acct_", 1)
const OTHER = randomId("acct_", 2)
const unknown = `xrpl:90000001:${"0".repeat(64)}:payment.xrp`

/** A timeout for tests that start many processes. */
const TIMEOUT = 180_000

// Several processes share this database. Its log has no owner once it is written, so the tests' services can own it.
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
    const rows = Effect.gen(function* () {
      yield* writeLedgers(ledgers)
      yield* insertAccount(ACCOUNT)
      yield* insertAccount(OTHER)
    })
    const log = Layer.merge(EmbeddedLog.layer, EventIndex.layer)
    yield* rows.pipe(
      Effect.provide(Layer.provide(log, settingsLayer())),
      Effect.provide(Layer.succeedContext(store))
    )
  })
  await Effect.runPromise(Scope.provide(prepare, scope))
}, TIMEOUT)
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(cwd, { recursive: true, force: true })
})

const run = (...args: ReadonlyArray<string>) => runCommand(["replay", ...args], { environment })

/** A process with the role replay, in this one. It stops when the scope closes. */
const startReplays = Effect.suspend(() =>
  Layer.build(
    Layer.fresh(service("start")).pipe(Layer.provide(settingsLayer({ ...environment, ROLES: "replay" })))
  )
)

/** The JSON of a command that ends well. */
const json = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* run(...args)
  assert.deepStrictEqual([code, stderr], [0, ""])
  return JSON.parse(stdout)
})

/** The stores, to read and change rows from outside the program. */
const inStore = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>) => Effect.provide(use, store)
const newWebhook = (account = ACCOUNT) => inStore(insertWebhook(account))
const statement = (text: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
  inStore(Effect.flatMap(SqlClient.SqlClient, text))
const setWebhook = (id: string, status: string) =>
  statement((sql) => sql`UPDATE webhooks SET status = ${status} WHERE id = ${id}`)
const setPlan = (id: string, plan: string) =>
  statement((sql) => sql`UPDATE accounts SET plan = ${plan} WHERE id = ${id}`)

const queuedOf = (jobId: string) =>
  inStore(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly event_id: string }>`
        SELECT event_id FROM deliveries WHERE replay_job_id = ${jobId} ORDER BY id`
      return rows.map(({ event_id }) => event_id)
    })
  )

describe("a dry run", () => {
  it.live(
    "shows types, ledgers and unknown ids, and queues nothing",
    () =>
      Effect.gen(function* () {
        const webhook = yield* newWebhook()
        assert.deepStrictEqual(yield* json("create", "--webhook", webhook, "--dry-run", "--type", "nft.*"), {
          webhook_id: webhook,
          network: "mainnet",
          events: nfts.length,
          unknown_events: 0,
          first_ledger: nfts[0]!.ledger_index,
          last_ledger: nfts.at(-1)!.ledger_index,
          event_types: { "nft.minted": nfts.length }
        })
        assert.deepInclude(
          yield* json(
            "create",
            "--webhook",
            webhook,
            "--dry-run",
            "--event-id",
            unknown,
            "--event-id",
            nfts[3]!.event_id
          ),
          { events: 1, unknown_events: 1, first_ledger: nfts[3]!.ledger_index }
        )
        assert.deepStrictEqual(yield* json("list", "--webhook", webhook), [])
      }),
    TIMEOUT
  )
})

describe("a job", () => {
  it.live(
    "waits for a process with the role replay, is shown until it ends, and sends each event once",
    () =>
      Effect.gen(function* () {
        const webhook = yield* newWebhook()
        const made = yield* json("create", "--webhook", webhook, "--type", "*")
        assert.deepInclude(made, {
          account_id: ACCOUNT,
          webhook_id: webhook,
          network: "mainnet",
          status: "queued",
          total_events: events.length,
          processed_events: 0,
          failed_events: 0,
          progress_percent: 0,
          eta_seconds: null,
          history: null,
          error: null,
          completed_at: null
        })
        const impossible = `xrpl:${"9".repeat(30)}:${"0".repeat(64)}:payment.xrp`
        const ids = [...events.slice(0, 5).map(({ event_id }) => event_id), unknown, impossible]
        const byIds = yield* runCommand(["replay", "create", "--webhook", webhook, "--event-ids-file", "-"], {
          environment,
          input: ids.join("\n")
        })
        const byIdsJob = JSON.parse(byIds.stdout).job_id

        const watching = yield* startProgram(["replay", "watch", made.job_id], { cwd, environment })
        yield* waitUntil(
          Effect.sync(() => watching.stdout().includes('"queued"')),
          "60 seconds"
        )
        yield* startReplays
        assert.strictEqual(yield* watching.ended, 0)
        const lines = watching
          .stdout()
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
        assert.deepInclude(lines.at(-1), {
          status: "completed",
          total_events: events.length,
          processed_events: events.length,
          progress_percent: 100
        })
        assert.deepStrictEqual(
          yield* queuedOf(made.job_id),
          events.map(({ event_id }) => event_id)
        )

        const watched = yield* run("watch", byIdsJob)
        assert.strictEqual(watched.code, 0)
        assert.deepInclude(JSON.parse(watched.stdout.trim().split("\n").at(-1)!), {
          status: "completed",
          processed_events: 5,
          failed_events: 2
        })

        // One command creates and watches a job. Nothing delivers the first webhook's work, so no more can be queued.
        const second = yield* newWebhook()
        const atOnce = yield* run("create", "--webhook", second, "--type", "nft.*", "--watch")
        assert.strictEqual(atOnce.code, 0)
        const states = atOnce.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
        assert.deepStrictEqual([states[0].webhook_id, states.at(-1).status], [second, "completed"])
        assert.strictEqual((yield* queuedOf(states[0].job_id)).length, nfts.length)

        const third = yield* newWebhook()
        const shown = yield* runCommand(["replay", "create", "--webhook", third, "--type", "*", "--watch"], {
          environment,
          terminal: true,
          stderrTerminal: true
        })
        assert.match(shown.stderr, /\[[█░]{24}\] /)
        assert.match(shown.stdout, /\nstatus +completed\n/)
        assert.match(shown.stdout, /All events are queued for delivery\./)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "that fails makes the watching command exit 1 with the reason",
    () =>
      Effect.gen(function* () {
        const webhook = yield* newWebhook()
        const { job_id } = yield* json("create", "--webhook", webhook, "--type", "*")
        yield* setWebhook(webhook, "disabled")
        yield* startReplays
        const { code, stdout } = yield* run("watch", job_id)
        assert.strictEqual(code, 1)
        assert.deepInclude(JSON.parse(stdout.trim().split("\n").at(-1)!), {
          status: "failed",
          error: "The webhook was disabled."
        })
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "continues when the watching command is stopped, and can be cancelled once",
    () =>
      Effect.gen(function* () {
        const webhook = yield* newWebhook()
        const { job_id } = yield* json("create", "--webhook", webhook, "--type", "*")
        const watching = yield* startProgram(["replay", "watch", job_id], { cwd, environment })
        yield* waitUntil(
          Effect.sync(() => watching.stdout() !== ""),
          "60 seconds"
        )
        yield* watching.signal("SIGINT")
        assert.include(yield* watching.said(/continues/), job_id)
        assert.strictEqual(yield* watching.ended, 0)

        const cancelled = yield* json("cancel", job_id)
        assert.deepInclude(cancelled, { job_id, status: "cancelled", processed_events: 0 })
        assert.isNotNull(cancelled.cancelled_at)
        assert.strictEqual((yield* run("watch", job_id)).code, 1)
        const again = yield* run("cancel", job_id)
        assert.deepStrictEqual(
          [again.code, again.stderr],
          [
            1,
            `ledgerhook: replay job ${job_id} is cancelled; only queued and running jobs can be cancelled.\n`
          ]
        )
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "is listed by account and by webhook, newest first",
    () =>
      Effect.gen(function* () {
        const [mine, other] = [yield* newWebhook(), yield* newWebhook(OTHER)]
        const jobs = yield* Effect.forEach([mine, mine, other], (webhook) =>
          Effect.map(json("create", "--webhook", webhook, "--event-id", unknown), ({ job_id }) => job_id)
        )
        const listed = (...flags: ReadonlyArray<string>) =>
          Effect.map(json("list", ...flags), (jobs) =>
            jobs.map((job: { readonly job_id: string }) => job.job_id)
          )
        assert.deepStrictEqual(yield* listed("--webhook", mine), [jobs[1], jobs[0]])
        assert.deepStrictEqual(yield* listed("--account", OTHER), [jobs[2]])
        assert.deepStrictEqual((yield* listed()).slice(0, 3), jobs.toReversed())
        const { stdout } = yield* runCommand(["replay", "list", "--webhook", other], {
          environment: { ...environment, NO_COLOR: "1" },
          terminal: true
        })
        const [head, row] = stdout.split("\n")
        assert.match(
          head!,
          /^ID +MODE +STATUS +DONE +QUEUED +FAILED +DELIVERED +WAITING +CREATED +ACCOUNT +WEBHOOK +ERROR$/
        )
        assert.match(
          row!,
          new RegExp(`^${jobs[2]}  replay  queued +0 % +0 +0 +0 +0 .*${OTHER}  ${other}  -$`)
        )
      }),
    TIMEOUT
  )
})

describe("errors are one sentence", () => {
  const JOB = randomId("rpl_job_", 1)
  const create = (...flags: ReadonlyArray<string>) => ["create", "--webhook", randomId("wh_", 1), ...flags]

  const refuses = Effect.fnUntraced(function* (args: ReadonlyArray<string>, code: number, says: RegExp) {
    const ended = yield* run(...args)
    const name = args.join(" ")
    assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], name)
    assert.match(ended.stderr, says, name)
    const lines = ended.stderr.trim().split("\n")
    assert.isTrue(lines.length === 1 || /^Try: .* --help$/.test(lines[1]!), name)
  })

  const badFlags: ReadonlyArray<readonly [args: ReadonlyArray<string>, code: number, says: RegExp]> = [
    [create(), 2, /say which events: --event-id or --event-ids-file, or --type/],
    [create("--event-id", "xrpl:1:ab:payment.xrp"), 2, /an event id: xrpl:<ledger_index>/],
    [create("--type", "payment"), 2, /an event type \(payment\.xrp\) or a family/],
    [create("--account", "rNobody"), 2, /a classic XRPL address/],
    [create("--since", "yesterday"), 2, /an ISO 8601 date-time with an offset/],
    [create("--type", "*", "--dry-run", "--watch"), 2, /--dry-run and --watch cannot be used together/],
    [["create", "--webhook", "wh_1", "--type", "*"], 2, /a webhook's id \(wh_ and 26 characters\)/],
    [create("--type", "*"), 1, /there is no webhook/],
    [["watch", "job"], 2, /a replay job's id/],
    [["watch", JOB], 1, /there is no replay job/],
    [["cancel", JOB], 1, /there is no replay job/]
  ]
  it.live("of flags and ids", () => Effect.forEach(badFlags, (one) => refuses(...one)), TIMEOUT)

  it.live(
    "of the webhook and its account, by the rules of the API",
    () =>
      Effect.gen(function* () {
        const account = randomId("acct_", 3)
        yield* inStore(insertAccount(account))
        const webhook = yield* newWebhook(account)
        const byId = ["create", "--webhook", webhook, "--event-id", unknown]
        const byFilters = ["create", "--webhook", webhook, "--type", "*"]

        yield* setWebhook(webhook, "disabled")
        yield* refuses(byId, 1, /is disabled/)
        yield* setWebhook(webhook, "active")

        yield* setPlan(account, "builder")
        yield* refuses(
          byFilters,
          1,
          /is on the plan builder, but replay by filters needs one of the plans professional, /
        )
        yield* json(...byId)
        yield* json(...byId)
        yield* refuses(byId, 1, /may have 2 queued or running replay jobs/)

        yield* setPlan(account, "professional")
        yield* inStore(setUsage(account, monthOf(Date.now()), 5_000_000))
        yield* refuses(byId, 1, /the month's delivery quota of acct_\w+ is used up/)
      }),
    TIMEOUT
  )
})
