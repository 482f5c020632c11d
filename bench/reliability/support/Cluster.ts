/**
 * What is attacked: the program under supervision, its database on a disk of its own, its ledger server and, with
 * Kafka, a broker and six processes that share the roles, each role at two of them. There each process is a Kafka user
 * of its own with exactly the rights of its roles, and PostgreSQL has the two roles of docs/access.md. Every connection
 * between them passes a proxy. Everything ends with the scope.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Admin } from "@platformatic/kafka"
import { Effect, Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"
import { type Role, roles } from "../../../src/spine/config/Definitions.ts"
import { rightsOf } from "../../../src/spine/log/Access.ts"
import { applyPlan, planOf } from "../../../src/spine/log/kafka/ClusterTopics.ts"
import { clientOptions } from "../../../src/spine/log/kafka/Options.ts"
import { start as startDatabase } from "../../../src/spine/store/embedded/EmbeddedPostgres.ts"
import { postmaster } from "../../../src/spine/store/embedded/Postmaster.ts"
import { migrate } from "../../../src/spine/store/Migrations.ts"
import { type Broker, startBroker } from "../../../test/kafka/broker.ts"
import { freePort } from "../../../test/kafka/javaServer.ts"
import { apiClient, createWebhook, waitUntil } from "../../../test/support/http/apiClient.ts"
import { grantsOf, makeAcls } from "../../../test/support/log/acls.ts"
import { startProgram } from "../../../test/support/program/program.ts"
import { grantToRunner, makeRoles } from "../../../test/support/store/databaseRoles.ts"
import { type FailoverPair, failoverPair } from "../../../test/support/store/failoverPair.ts"
import { type Disk, makeDisk } from "./Disk.ts"
import { type FaultProxy, startProxy } from "./FaultProxy.ts"
import { type Load, type LoadOptions, startLoad } from "./Load.ts"
import { type Member, startMember } from "./Member.ts"
import { type KindName, kindNames, kinds, type Receivers, startReceivers } from "./Receivers.ts"

export type Store = "kafka" | "embedded"

export interface Cluster {
  readonly store: Store
  readonly random: SeededRandom
  readonly load: Load
  readonly receivers: Receivers
  readonly members: ReadonlyArray<Member>
  readonly proxies: Readonly<Record<string, FaultProxy>>
  /** The PostgreSQL that fails over; undefined: one server. */
  readonly pair: FailoverPair | undefined
  readonly broker: Broker | undefined
  /** What is wrong with the chain of hashes, by `ledgerhook ledger verify`; undefined: nothing. */
  readonly verified: Effect.Effect<string | undefined>
  /** Makes the topics that are missing, as an administrator does. */
  readonly makeTopics: Effect.Effect<unknown, Error>
  readonly deleteTopic: (topic: string) => Effect.Effect<void>
  /** The broker's files. */
  readonly brokerFolder: string | undefined
  /** The members that faults may hit. */
  readonly victims: ReadonlyArray<Member>
  readonly disk: Disk
  /** PostgreSQL's data directory. */
  readonly databaseFolder: string
  readonly databasePid: () => number | undefined
  /** By webhook id. */
  readonly webhooks: ReadonlyMap<string, KindName>
  /** The file in which libfaketime reads the clock's offset of a member; undefined without libfaketime. */
  readonly clockFileOf: ((member: Member) => string) | undefined
  /** A statement on a connection of its own, past the proxy. */
  readonly rows: <Row extends object>(statement: string) => Effect.Effect<ReadonlyArray<Row>, Error>
}

export interface ClusterOptions extends LoadOptions {
  readonly store: Store
  readonly random: SeededRandom
  /** Where libfaketime is, if clocks shall be moved. */
  readonly clockLibrary: string | undefined
  /** PostgreSQL is a pair with streaming replication. */
  readonly failover?: boolean
  /** Adds a process with all roles, which alone is hit by faults, so that the others can be observed. */
  readonly spareMembers?: boolean
}

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const READY = "120 seconds"
const DAY_MS = 86_400_000
const TOPIC_SETTINGS = {
  retentionEventsMs: 400 * DAY_MS,
  retentionTransactionsMs: 7 * DAY_MS,
  rawTransactions: false
}

/** Each role at two processes. */
const spread: ReadonlyArray<Part> = [
  { name: "a", roles: ["api", "ingest"] },
  { name: "b", roles: ["api", "events"] },
  { name: "c", roles: ["route", "deliver"] },
  { name: "d", roles: ["ingest", "deliver", "delay"] },
  { name: "e", roles: ["events", "route", "replay"] },
  { name: "f", roles: ["delay", "replay"] }
]
const spare: Part = { name: "spare", roles }

interface Part {
  /** With Kafka also its user. */
  readonly name: string
  readonly roles: ReadonlyArray<Role>
}

const SUPER_USER = "admin"
const PASSWORD = "correct-horse"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-faults-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The programs that a superuser of Kafka runs. */
const administrationOf = (administrator: KafkaSettings) => ({
  makeTopics: Effect.flatMap(planOf(administrator, TOPIC_SETTINGS), (plan) => applyPlan(administrator, plan)),
  deleteTopic: (topic: string) =>
    Effect.promise(async () => {
      const admin = new Admin(clientOptions(administrator))
      await admin.deleteTopics({ topics: [topic] })
      await admin.close()
    })
})

const startKafka = Effect.fnUntraced(function* (folder: string, parts: ReadonlyArray<Part>) {
  const port = yield* Effect.promise(freePort)
  const proxy = yield* startProxy({ host: "127.0.0.1", port })
  const users = Object.fromEntries(
    [SUPER_USER, ...parts.map(({ name }) => name)].map((user) => [user, PASSWORD])
  )
  const options = { port, advertisedPort: proxy.port, secured: { users, superUser: SUPER_USER } }
  const broker = yield* Effect.acquireRelease(
    Effect.promise(() => startBroker(join(folder, "kafka"), options)),
    (started) => Effect.promise(started.kill)
  )
  const brokers = `127.0.0.1:${proxy.port}`
  const administrator: KafkaSettings = {
    brokers: [brokers],
    ssl: false,
    sasl: { mechanism: "SCRAM-SHA-512", username: SUPER_USER, password: PASSWORD },
    clientId: "ledgerhook",
    topicPrefix: "",
    schemaRegistryUrl: undefined
  }
  const administration = administrationOf(administrator)
  yield* administration.makeTopics
  const acls = makeAcls(brokers, SUPER_USER, PASSWORD)
  const granted = parts.flatMap((part) => grantsOf(part.name, rightsOf(part.roles, administrator)))
  yield* Effect.promise(() => acls.grant(granted))
  return { ...administration, broker, proxy }
})

/** The one of docs/access.md that runs. The other one has migrated. */
const makeDatabaseRoles = Effect.fnUntraced(
  function* (superUserUrl: string) {
    const { owner, runner } = yield* makeRoles(superUserUrl)
    const sql = yield* PgClient.make({ url: Redacted.make(owner), maxConnections: 1 })
    yield* Effect.provideService(migrate, SqlClient.SqlClient, sql)
    yield* grantToRunner(sql)
    return runner
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

const rowsOf =
  (place: Pick<PgClient.PgPoolConfig, "path" | "host" | "port" | "username">, database: string) =>
  <Row extends object>(statement: string): Effect.Effect<ReadonlyArray<Row>, Error> =>
    Effect.scoped(
      Effect.flatMap(PgClient.make({ ...place, database, maxConnections: 1 }), (sql) =>
        sql.unsafe<Row>(statement)
      )
    ).pipe(Effect.provide(Reactivity.layer))

/** The chain of hashes from the first ledger that the service took to its last one, by `ledgerhook ledger verify`. */
const verified = Effect.fnUntraced(function* (
  folder: string,
  environment: Readonly<Record<string, string>>,
  { firstLedger, lastLedger }: Load
) {
  const [from, to] = [firstLedger + 1, lastLedger()]
  const range = ["--from", String(from), "--to", String(to), "--network", "mainnet", "--json"]
  const verifying = yield* startProgram(["ledger", "verify", ...range], { cwd: folder, environment })
  const code = yield* verifying.ended
  return code === 0 ? undefined : `the chain of ledgers ${from} to ${to}: ${verifying.stdout()}`
}, Effect.scoped)

/** Starts everything, and creates one webhook of each kind that wants all events. */
export const startCluster = Effect.fnUntraced(function* (
  options: ClusterOptions
): Effect.fn.Return<Cluster, Error, Scope.Scope> {
  const { store, random, clockLibrary, failover = false } = options
  const folder = yield* temporaryFolder
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711)
  const pair = failover ? yield* failoverPair(join(folder, "servers")) : undefined
  const disk = yield* makeDisk
  const load = yield* startLoad(options)
  const receivers = yield* startReceivers
  const ledgerProxy = yield* startProxy({ host: "127.0.0.1", port: Number(new URL(load.url).port) })
  const dataDir = join(disk.folder, "data")
  const { spareMembers = false } = options
  const parts = store === "embedded" ? [{ name: "a", roles }] : spareMembers ? [...spread, spare] : spread
  const kafka = store === "kafka" ? yield* startKafka(folder, parts) : undefined
  const database =
    kafka === undefined || pair !== undefined
      ? undefined
      : yield* startDatabase({ dataDir, command: "reliability", owner: true }).pipe(
          Effect.flatMap(({ path }) => startProxy({ path }))
        )
  const databaseUrl = pair?.url ?? `postgres://ledgerhook@127.0.0.1:${database?.port}/postgres`
  const clockFile = (name: string) => join(folder, `clock-${name}`)
  const common = {
    ADMIN_KEY,
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    XRPL_MAINNET_URLS: `ws://127.0.0.1:${ledgerProxy.port}`,
    XRPL_MAINNET_START: String(load.firstLedger),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
    DELIVERY_TIMEOUT: "3 seconds",
    DELIVERY_RETRY_DELAYS: "300ms,600ms,1s,1s,2s,2s",
    DISABLE_AFTER_FAILURES: "1000000",
    ...(kafka === undefined
      ? { DATA_DIR: dataDir, ...(pair && { DATABASE_URL: pair.url }) }
      : {
          KAFKA_BROKERS: `127.0.0.1:${kafka.proxy.port}`,
          KAFKA_SASL_MECHANISM: "SCRAM-SHA-512",
          KAFKA_PASSWORD: PASSWORD,
          DATABASE_URL: yield* makeDatabaseRoles(databaseUrl)
        })
  }
  const clockOf = (name: string) => {
    if (clockLibrary === undefined) return {}
    writeFileSync(clockFile(name), "+0\n")
    return {
      LD_PRELOAD: clockLibrary,
      FAKETIME_TIMESTAMP_FILE: clockFile(name),
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1"
    }
  }
  const members = yield* Effect.forEach(parts, (part) =>
    Effect.flatMap(Effect.promise(freePort), (port) =>
      startMember({
        ...part,
        port,
        environment: { ...common, KAFKA_USERNAME: part.name, ...clockOf(part.name) }
      })
    )
  )
  const client = apiClient(members[0]!.apiUrl, ADMIN_KEY)
  yield* waitUntil(
    client.call("GET", "/readyz").pipe(
      Effect.map(({ status }) => status === 200),
      Effect.orElseSucceed(() => false)
    ),
    READY
  ).pipe(Effect.mapError(() => new Error(`the program did not get ready:\n${members[0]!.output()}`)))
  const webhooks = new Map<string, KindName>()
  for (const name of kindNames) {
    const fields = { url: receivers.urlOf(name), event_types: ["*"], ...kinds[name].fields }
    webhooks.set((yield* createWebhook(client, fields)).id, name)
  }
  const databaseFolder = join(dataDir, "postgres")
  const databaseName = kafka === undefined ? "postgres" : "ledgerhook"
  return {
    store,
    random,
    load,
    receivers,
    members,
    proxies: {
      ledger: ledgerProxy,
      ...(kafka && { kafka: kafka.proxy }),
      ...(database && { database })
    },
    pair,
    broker: kafka?.broker,
    makeTopics: kafka?.makeTopics ?? Effect.void,
    deleteTopic: kafka?.deleteTopic ?? (() => Effect.void),
    verified: verified(folder, { ...common, ...(kafka && { KAFKA_USERNAME: SUPER_USER }) }, load),
    brokerFolder: kafka === undefined ? undefined : join(folder, "kafka", "data"),
    victims: spareMembers ? members.slice(-1) : members,
    disk,
    databaseFolder,
    databasePid: () => postmaster(databaseFolder)?.pid,
    webhooks,
    clockFileOf: clockLibrary === undefined ? undefined : ({ name }) => clockFile(name),
    rows: rowsOf(
      pair === undefined
        ? { path: join(dataDir, "run", ".s.PGSQL.5432"), username: "ledgerhook" }
        : { port: Number(new URL(pair.url).port), host: "127.0.0.1", username: "ledgerhook" },
      databaseName
    )
  }
})
