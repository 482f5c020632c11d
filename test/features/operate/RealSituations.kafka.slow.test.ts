/**
 * Situations of the whole service with real processes, one for each role, on Kafka and PostgreSQL: something is stopped,
 * killed, frozen or away, and `ledgerhook status` names the cause, and only the cause, within seconds. Report.test.ts has
 * more situations; their numbers are the same.
 */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type Role, roles } from "../../../src/spine/config/Definitions.ts"
import { missing } from "../../kafka/broker.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../../support/ledger/simulatedLedger.ts"
import { ownBroker } from "../../support/log/ownBroker.ts"
import { runCommand } from "../../support/program/command.ts"
import { type Process, startProcess } from "../../support/program/serviceProcess.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
/** A process is silent for 10 s before it counts as gone, and a report is made every 10 s. The rest is for a slow machine. */
const TOLD_WITHIN = "45 seconds"

interface Said {
  readonly ok: boolean
  readonly sentences: ReadonlyArray<string>
  readonly findings: ReadonlyArray<{ readonly what: string }>
  readonly webhooks: Readonly<Record<string, number>>
  readonly stages: ReadonlyArray<{
    readonly stage: string
    readonly because: string
    readonly late: boolean
    readonly waiting: number
  }> | null
}

describe.skipIf(missing() !== undefined)("status, of real processes", () => {
  it.live(
    "names the cause and nothing else",
    () =>
      Effect.gen(function* () {
        const broker = yield* ownBroker
        const database = yield* ownDatabase
        const ledger = yield* makeSimulatedLedger({
          seed: 5,
          networkId: 0,
          transactionsPerLedger: 20,
          hashing: "digest"
        })
        const environment = {
          DATABASE_URL: database.url,
          KAFKA_BROKERS: broker.brokers,
          ADMIN_KEY,
          SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
          XRPL_MAINNET_URLS: ledger.url,
          XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
          DELIVERY_RETRY_DELAYS: "2s,5s,5s,5s,1m,1m,1m,1m,1m",
          DELIVERY_ALLOW_HTTP: "true",
          DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
        }
        const start = (role: Role) =>
          startProcess(
            { ...environment, ROLES: role },
            role === "api" ? /Ledgerhook API: (\S+)/ : /health and metrics: (\S+)/
          )
        const running = new Map<Role, Process>()
        // The first one migrates the database and makes the topics.
        for (const role of roles) running.set(role, yield* start(role))
        const of = (role: Role) => running.get(role)!
        const again = (role: Role) => Effect.map(start(role), (process) => running.set(role, process))

        const receiver = yield* makeReceiver()
        const dead = yield* makeReceiver(() => 503)
        const client = apiClient(of("api").match[1]!, ADMIN_KEY)
        yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
        yield* createWebhook(client, { url: dead.url, event_types: ["payment.*"] })
        let closes = true
        yield* Effect.forkScoped(
          Effect.repeat(
            Effect.suspend(() => (closes ? ledger.close : Effect.void)),
            Schedule.spaced("1 second")
          )
        )

        const said = Effect.map(
          runCommand(["status"], { environment }),
          ({ stdout }): Said => JSON.parse(stdout)
        )
        let newest: Said | undefined
        /** Waits until status says so, and nothing is left of what it said before. */
        const says = Effect.fnUntraced(function* (causes: ReadonlyArray<string>) {
          yield* waitUntil(
            Effect.map(said, (now) => {
              newest = now
              return (
                JSON.stringify(now.findings.map(({ what }) => what).toSorted()) === JSON.stringify(causes)
              )
            }),
            TOLD_WITHIN
          ).pipe(Effect.tapError(() => Effect.sync(() => assert.fail(JSON.stringify(newest, null, 2)))))
          assert.strictEqual(
            newest?.ok,
            causes.every((cause) => /^role (events|replay)$/.test(cause))
          )
          return newest!
        })
        const sentence = (of: Said, about: RegExp) => of.sentences.find((one) => about.test(one)) ?? ""

        // 20: one endpoint is dead, and the service is well.
        yield* waitUntil(
          Effect.map(said, ({ webhooks }) => webhooks["failing"] === 1),
          TOLD_WITHIN
        )
        const well = yield* says([])
        assert.match(well.sentences[0]!, /^The service is well\. 1 of 2 active webhooks fails/)

        // 23, 26: two roles are stopped in order, one is killed.
        yield* of("delay").signal("SIGTERM")
        yield* of("events").signal("SIGTERM")
        yield* of("replay").kill
        const some = yield* says(["role delay", "role events", "role replay"])
        assert.match(
          sentence(some, /delay/),
          /^No process has the role delay: the last one .* stopped in order/
        )
        assert.match(sentence(some, /replay/), /has said nothing for/)
        for (const role of ["delay", "events", "replay"] as const) yield* again(role)
        yield* says([])

        // 24, 25, 27: what sends, what routes and what answers customers.
        yield* of("deliver").kill
        yield* of("route").kill
        yield* of("api").signal("SIGTERM")
        const sending = yield* says(["role api", "role deliver", "role route"])
        assert.match(sentence(sending, /ROLES=deliver/), /^No process has the role deliver/)
        yield* again("deliver")
        yield* again("route")
        yield* again("api")
        yield* says([])

        // 44, 25: the process that takes ledgers is frozen. Another one takes over.
        yield* of("ingest").signal("SIGSTOP")
        const frozen = yield* says(["role ingest"])
        assert.match(sentence(frozen, /ingest/), /has said nothing for/)
        const other = of("ingest")
        yield* again("ingest")
        yield* says([])
        yield* other.signal("SIGCONT")
        yield* says([])

        // Another session locks a table: one cause, and not that deliveries are late.
        yield* Effect.gen(function* () {
          const sql = yield* PgClient.make({ url: Redacted.make(database.url), applicationName: "psql" })
          const locked = Effect.gen(function* () {
            yield* sql`LOCK TABLE deliveries IN SHARE MODE`
            const held = yield* says(["part locks"])
            assert.match(sentence(held, /lock/), /Session \d+ \(psql, idle in transaction\) holds it/)
          })
          yield* sql.withTransaction(locked)
        }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
        yield* says([])

        // 30: Kafka is away: one cause, no stage and no role beside it.
        yield* Effect.promise(() => broker.stop())
        const away = yield* says(["part log"])
        assert.match(sentence(away, /log/), /^The log answers none of 8 processes: .* nothing is lost/)
        assert.isNull(away.stages)
        yield* Effect.promise(() => broker.start())
        yield* says([])

        // 35: the servers of the network are silent.
        closes = false
        const silent = yield* waitUntil(
          Effect.map(said, ({ findings }) => findings.some(({ what }) => what === "part ledger.mainnet")),
          "150 seconds"
        ).pipe(Effect.andThen(said))
        assert.match(sentence(silent, /mainnet/), /ledger/)
        closes = true
        yield* says([])

        // 32: PostgreSQL is away. Nothing can be read, and the sentence says why.
        yield* database.stop
        const failed = yield* runCommand(["status"], { environment })
        assert.strictEqual(failed.code, 1)
        assert.match(failed.stderr, /^ledgerhook: DATABASE_URL: .* (cannot be used|does not answer)/)
        const part = Effect.promise(() =>
          fetch(`${of("delay").match[1]}/metrics`).then((answer) => answer.text())
        )
        yield* waitUntil(
          Effect.map(part, (text) => text.includes('ledgerhook_part_ok{part="database"} 0')),
          TOLD_WITHIN
        )
        yield* database.start
        yield* says([])

        // 28: nothing runs.
        for (const { signal } of running.values()) yield* signal("SIGTERM")
        yield* other.kill
        const stopped = yield* says(["service"])
        assert.deepStrictEqual(stopped.sentences, ["The service does not run: no process says so."])
      }).pipe(Effect.scoped),
    600_000
  )
})
