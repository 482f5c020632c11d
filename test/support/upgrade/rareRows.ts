/**
 * What a short run does not leave, written by the program's own stores while no process runs: an alert, a dead
 * record, a mail to send, a change of a webhook that is not published, a replay job whose worker died, a ledger to skip,
 * the end of a chain. Also reads what the list of the store says about tables and topics.
 */
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { AlertStore } from "../../../src/features/events/AlertStore.ts"
import { ChainRestarts } from "../../../src/features/events/ChainRestarts.ts"
import { SkippedLedgers } from "../../../src/features/events/SkipOrders.ts"
import { queueMails } from "../../../src/features/health/notify/MailStore.ts"
import { ReplayWork } from "../../../src/features/replay/ReplayWork.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { Settings } from "../../../src/spine/config/Config.ts"
import { networks } from "../../../src/spine/event/Network.ts"
import * as EmbeddedLog from "../../../src/spine/log/embedded/EmbeddedLog.ts"
import { LogReader } from "../../../src/spine/log/Log.ts"
import { namesOf, partitionsOf } from "../../../src/spine/log/Topics.ts"
import { makeDeadLetters } from "../../../src/spine/store/DeadLetters.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import * as Sql from "../../../src/spine/store/Sql.ts"
import { inSnapshot, readShape } from "../../../src/spine/store/tables/ReadTables.ts"
import { testSettings } from "../program/settings.ts"
import type { StoreList } from "./fixture.ts"
import { schemaList } from "./schema.ts"

export const MAIL_CAUSE = "store fixture"
const RECORDS_OF_A_TOPIC = 3

/** `unpublished`: the webhook to change; a later version must publish the change. */
const addRareRows = Effect.fnUntraced(function* (accountId: string, unpublished: string) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const alert = {
    code: "nodes_unreadable" as const,
    tx_hash: "A".repeat(64),
    event_type: null,
    reason: "made for the fixture"
  }
  yield* (yield* AlertStore).record("mainnet", 1_000_000, [alert], now)
  const deadLetters = yield* makeDeadLetters
  yield* deadLetters.put("events", [{ source: "xrpl.mainnet.events/0@0", text: "{", reason: "made for it" }])
  const text = { subject: "A mail", body: "made for the fixture" }
  yield* queueMails(sql, [{ ...text, cause: MAIL_CAUSE, accountId, recipient: "a@example.com" }], now)
  // Networks that are not watched.
  yield* (yield* SkippedLedgers).order("testnet", 1_000, "made for the fixture", now)
  yield* (yield* ChainRestarts).order("devnet", "B".repeat(64), now)
  const owner = { accountId, networks }
  const changed = yield* (yield* WebhookStore).change(owner, unpublished, { max_in_flight: 2 }, now)
  if (Option.isNone(changed)) throw new Error(`the webhook ${unpublished} is missing`)
  // Nobody renews the lease.
  if (Option.isNone(yield* (yield* ReplayWork).claim(now))) throw new Error("no replay job is queued")
})

const firstRecords = Effect.gen(function* () {
  const log = yield* LogReader
  const records: Array<StoreList["records"][number]> = []
  for (const topic of namesOf(networks)) {
    const found: typeof records = []
    for (let partition = 0; partition < partitionsOf(topic); partition++) {
      const { start } = yield* log.offsets({ topic, partition })
      for (const { key, value, headers } of yield* log.read(
        { topic, partition, offset: start },
        RECORDS_OF_A_TOPIC
      ))
        found.push({ topic, key, value, headers })
    }
    records.push(...found.slice(0, RECORDS_OF_A_TOPIC))
  }
  return records
})

const countRows = Effect.gen(function* () {
  const { rows, tables } = yield* inSnapshot(readShape)
  return Object.fromEntries(
    tables.map(({ name, partitions }) => [
      name,
      (partitions ?? [{ name }]).reduce((sum, leaf) => sum + (rows[leaf.name] ?? 0), 0)
    ])
  )
})

/** Adds the rows to the store in that folder, and returns what the list says about tables and topics. */
export const completeStore = (dataDir: string, accountId: string, unpublished: string) => {
  const settings = Layer.succeed(Settings, testSettings({ DATA_DIR: dataDir }))
  const database = Sql.layer({ command: "npm run store-fixture", owner: true }).pipe(
    Layer.provideMerge(settings)
  )
  const stores = Layer.mergeAll(
    AlertStore.layer,
    ChainRestarts.layer,
    SkippedLedgers.layer,
    ReplayWork.layer,
    EmbeddedLog.readerLayer,
    WebhookStore.layer.pipe(Layer.provide(Outbox.layer))
  ).pipe(Layer.provideMerge(database))
  return Effect.gen(function* () {
    yield* addRareRows(accountId, unpublished)
    return { rows: yield* countRows, tables: yield* schemaList, records: yield* firstRecords }
  }).pipe(Effect.provide(stores))
}
