/**
 * A Kafka with access control lists and a PostgreSQL with two roles: each role of the program runs as a process of its
 * own, as a Kafka user with exactly the rights that `ledgerhook topics acls` prints. Nothing is denied; a right that is
 * taken away is named in one sentence, and the work resumes once it is granted again.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { type ClosedLedger, expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { roles } from "../../../src/spine/config/Definitions.ts"
import { rippleToUnixMs } from "../../../src/spine/event/Ledger.ts"
import { migrate } from "../../../src/spine/store/Migrations.ts"
import { missing, startBroker } from "../../kafka/broker.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../../support/ledger/simulatedLedger.ts"
import { grantsIn, makeAcls } from "../../support/log/acls.ts"
import { type Process, startProcess } from "../../support/program/serviceProcess.ts"
import { grantToRunner, makeRoles } from "../../support/store/databaseRoles.ts"
import { ownDatabase } from "../../support/store/ownDatabase.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const SUPER_USER = "admin"
const PASSWORD = "correct-horse"
/** Closed before the service starts. */
const PAST_LEDGERS = 12
const holders = [...roles, "administrator"] as const

const program = resolve(import.meta.dirname, "../../../bin/ledgerhook.js")
const run = promisify(execFile)

const command = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  Effect.promise(() =>
    run(program, [...args], { env: { PATH: process.env["PATH"], PORT: "0", ...environment } }).catch(
      ({ stdout, stderr }) => {
        throw new Error(`ledgerhook ${args.join(" ")}:\n${stdout}${stderr}`)
      }
    )
  )

const broker = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-access-"))
    const users = Object.fromEntries([SUPER_USER, ...holders].map((user) => [user, PASSWORD]))
    return { folder, started: await startBroker(folder, { secured: { users, superUser: SUPER_USER } }) }
  }),
  ({ folder, started }) =>
    Effect.promise(async () => {
      await started.stop()
      rmSync(folder, { recursive: true, force: true })
    })
)

/** DATABASE_URL of the role that runs. The other one has migrated. */
const database = Effect.gen(function* () {
  const { owner, runner } = yield* makeRoles((yield* ownDatabase).url)
  const sql = yield* PgClient.make({ url: Redacted.make(owner), maxConnections: 1 })
  yield* Effect.provideService(migrate, SqlClient.SqlClient, sql)
  yield* grantToRunner(sql)
  return runner
}).pipe(Effect.provide(Reactivity.layer))

/** Rights that a process uses all the time, the process that says so, and how. */
const taken = [
  { role: "ingest", resource: "topic", name: "xrpl.mainnet.events", operation: "Write" },
  { role: "ingest", resource: "transactional-id", name: "ledgerhook.ledger.mainnet", operation: "Write" },
  { role: "events", resource: "group", name: "ledgerhook.events", operation: "Read" },
  { role: "route", resource: "topic", name: "webhooks.deliveries", operation: "Write" },
  { role: "route", resource: "topic", name: "xrpl.mainnet.events", operation: "Read" },
  { role: "deliver", resource: "group", name: "ledgerhook.deliver", operation: "Read" }
] as const

describe.skipIf(missing() !== undefined)("each role with exactly its rights", () => {
  it.live(
    "works on Kafka and PostgreSQL without a denial, and a right that is taken away is named",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { started: kafka } = yield* broker
          const ledger = yield* makeSimulatedLedger({
            seed: 3,
            networkId: 0,
            transactionsPerLedger: 5,
            hashing: "digest"
          })
          const past: Array<ClosedLedger> = []
          while (past.length < PAST_LEDGERS) past.push(yield* ledger.close)
          const environment = {
            DATABASE_URL: yield* database,
            KAFKA_BROKERS: kafka.brokers,
            KAFKA_SASL_MECHANISM: "SCRAM-SHA-512",
            KAFKA_PASSWORD: PASSWORD,
            ADMIN_KEY,
            SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
            RAW_TRANSACTIONS: "true",
            XRPL_MAINNET_URLS: ledger.url,
            XRPL_MAINNET_HISTORY_URLS: ledger.url,
            XRPL_MAINNET_START: String(past.at(-1)!.header.ledger_index + 1),
            DELIVERY_ALLOW_HTTP: "true",
            DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
            DELIVERY_RETRY_DELAYS: "100ms,100ms",
            LOG_LEVEL: "warn",
            LOG_FORMAT: "json"
          }
          const as = (user: string) => ({ ...environment, KAFKA_USERNAME: user })

          const acls = makeAcls(kafka.brokers, SUPER_USER, PASSWORD)
          const rights = yield* Effect.forEach(holders, (holder) =>
            Effect.map(
              command(as(holder), "topics", "acls", "--role", holder, "--principal", `User:${holder}`),
              ({ stdout }) => stdout.trim().split("\n").flatMap(grantsIn)
            )
          )
          yield* Effect.promise(() => acls.grant(rights.flat()))
          yield* command(as("administrator"), "topics", "apply")

          const processes = new Map<string, Process>()
          for (const role of roles) {
            const one = startProcess(
              { ...as(role), ROLES: role },
              /Ledgerhook (?:API|health and metrics): (\S+)/
            )
            processes.set(role, yield* one)
          }
          const api = apiClient(processes.get("api")!.match[1]!, ADMIN_KEY)

          const answered = new Set<string>()
          let accepts = false
          const receiver = yield* makeReceiver(({ deliveryId }) => {
            // At first each first attempt fails, so that every delivery passes through delay.
            if (accepts || answered.has(deliveryId)) return 200
            answered.add(deliveryId)
            return 503
          })
          const webhook = yield* createWebhook(api, { url: receiver.url, event_types: ["*"] })
          const expected = expectedEventIds(yield* ledger.close)
          yield* receiver.until((received) => received.length >= 2 * expected.length)
          assert.deepStrictEqual(
            [...new Set(receiver.received.map(({ event }) => event.event_id))].sort(),
            [...expected].sort()
          )
          // It fetches ledgers from before the service's first one.
          const [before, ...fetched] = past
          const replay = yield* api.call("POST", "/v1/replay", {
            webhook_id: webhook.id,
            filters: { since: new Date(rippleToUnixMs(before!.header.close_time)).toISOString() }
          })
          assert.strictEqual(replay.status, 202, JSON.stringify(replay.body))
          const replayed = [...fetched.flatMap(expectedEventIds), ...expected]
          const live = 2 * expected.length
          yield* receiver.until((received) => received.length >= live + 2 * replayed.length)
          assert.sameMembers(
            [...new Set(receiver.received.slice(live).map(({ event }) => event.event_id))],
            replayed
          )
          for (const path of [
            "/v1/ledgers/coverage",
            `/v1/webhooks/${webhook.id}/progress`,
            `/v1/deliveries/${receiver.received[0]!.deliveryId}`,
            `/v1/explain?transaction=${expected[0]!.split(":")[2]}`
          ]) {
            const { body, status } = yield* api.call("GET", path)
            assert.strictEqual(status, 200, `${path}: ${JSON.stringify(body)}`)
          }
          const tested = yield* api.call("POST", `/v1/webhooks/${webhook.id}/test?wait=10s`, {
            event_type: "payment.xrp"
          })
          assert.isBelow(tested.status, 300, JSON.stringify(tested.body))
          // From here on ledgers close, as on a network, so that nothing is late.
          accepts = true
          const closed: Array<string> = []
          const close = Effect.map(ledger.close, (one) => closed.push(...expectedEventIds(one)))
          yield* Effect.forkScoped(Effect.repeat(close, Schedule.spaced("1 second")))
          yield* receiver.until((received) => received.some(({ event }) => closed.includes(event.event_id)))
          // The first report was made before all processes ran.
          yield* waitUntil(
            Effect.map(api.call("GET", "/status"), ({ body }) =>
              JSON.stringify(body).includes('"findings":[]')
            ),
            "120 seconds"
          )
          const [, , hash] = expected[0]!.split(":")
          assert.strictEqual((yield* api.call("GET", `/v1/transactions/${hash}`)).status, 200)
          for (const role of ["api", "route", "delay"]) {
            const { stdout } = yield* command({ ...as(role), ROLES: role }, "doctor")
            assert.notMatch(stdout, /problem|warning/i, role)
          }
          assert.deepStrictEqual(kafka.denials(), [])

          for (const { name, operation, resource, role } of taken) {
            const right = {
              principal: `User:${role}`,
              resource,
              name,
              pattern: "literal",
              operation
            } as const
            yield* Effect.promise(() => acls.revoke([right]))
            const kind = resource === "transactional-id" ? "transactional id" : resource
            const sentence = `this Kafka user lacks the operation ${operation} on the ${kind} ${name} (docs/access.md)`
            yield* waitUntil(
              Effect.sync(() => processes.get(role)!.output().includes(sentence)),
              "60 seconds"
            ).pipe(
              Effect.mapError(
                () =>
                  new Error(
                    `${role} did not say "${sentence}":\n${processes.get(role)!.output().slice(-3_000)}`
                  )
              )
            )
            yield* Effect.promise(() => acls.grant([right]))
          }
          // A start without a right ends with the same sentence.
          const lacking = {
            principal: "User:delay",
            resource: "topic",
            name: "webhooks.replays",
            pattern: "literal",
            operation: "Write"
          } as const
          yield* Effect.promise(() => acls.revoke([lacking]))
          const refused = yield* Effect.flip(
            startProcess({ ...as("delay"), ROLES: "delay" }, /health and metrics/)
          )
          assert.match(
            refused.message,
            /ledgerhook: KAFKA_BROKERS: this Kafka user lacks the operation Write on the topic webhooks\.replays \(docs\/access\.md\)\.\n/
          )
          const all = [...closed]
          yield* receiver.until((received) => {
            const got = new Set(received.map(({ event }) => event.event_id))
            return all.every((id) => got.has(id))
          })
        })
      ),
    420_000
  )
})
