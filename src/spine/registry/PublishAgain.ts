/**
 * Publishes every webhook again when `webhooks.config` may not have what the database has: the topic was deleted and made
 * again, lost its newest records, or the database went back behind what was published (a failover to a standby that was
 * behind). Otherwise route would know no webhook, or an old state of one, and drop events without a word. Whoever follows
 * the topic waits for this (UpToDate.ts). With the log in the database, both go back together.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { CONFIG_TOPIC } from "../domain/Webhook.ts"
import { Log } from "../log/Log.ts"
import { repeatEvery } from "../observe/RetryUntilSuccess.ts"
import { Leases } from "../store/Leases.ts"
import { OUTBOX_POSITION, Outbox } from "../store/outbox/Outbox.ts"
import { makeLogPlaces } from "./LogPlaces.ts"
import { configRecord, tombstone, WEBHOOK_COLUMNS, type WebhookRow } from "./WebhookRow.ts"

const LOOK_EVERY_MS = 5_000
/** Webhooks read at once: each may have 10,000 account filters. */
const PAGE = 20

const PLACE = { topic: CONFIG_TOPIC, partition: 0 }

/** Whether all webhooks that were in the topic before it was made again are published to it, or in the outbox. */
export const makeIsWhole = Effect.gen(function* () {
  const log = yield* Log
  const places = yield* makeLogPlaces
  return Effect.gen(function* () {
    const id = (yield* log.topicIds([CONFIG_TOPIC])).get(CONFIG_TOPIC)
    if (id === undefined) return true
    const last = yield* places.last(CONFIG_TOPIC)
    return last === undefined || last.id === id
  })
})

/** Returns a look, which answers how many records it gave to the outbox. */
export const makePublishAgain = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const outbox = yield* Outbox
  const places = yield* makeLogPlaces

  /** The webhooks that the topic knows. */
  const known = Effect.fnUntraced(function* (end: number) {
    const keys = new Set<string>()
    for (let offset = 0; offset < end; ) {
      const records = yield* log.read({ ...PLACE, offset }, Limits.logReadRecords)
      for (const { key, value } of records)
        if (value === null) keys.delete(key)
        else keys.add(key)
      offset = (records.at(-1)?.offset ?? end) + 1
    }
    return keys
  })

  /** Gives what waits in the outbox ids that are not published yet, in the same order. */
  const afterPublished = Effect.fnUntraced(function* (published: number) {
    yield* outbox.lock
    const sequence = sql`pg_get_serial_sequence('outbox', 'id')`
    yield* sql`SELECT setval(${sequence}, greatest(nextval(${sequence}), ${published}))`
    yield* sql`
      WITH moved AS (DELETE FROM outbox RETURNING id, topic, key, value)
      INSERT INTO outbox (topic, key, value) SELECT topic, key, value FROM moved ORDER BY id`
  }, sql.withTransaction)

  /** Returns how many webhooks there are. */
  const publishAll = Effect.gen(function* () {
    let after = ""
    for (let count = 0; ; ) {
      // Locked first: a change that commits later is published later.
      const rows = yield* Effect.gen(function* () {
        yield* outbox.lock
        const page = yield* sql<WebhookRow>`
          SELECT ${sql.literal(WEBHOOK_COLUMNS)} FROM webhooks
          WHERE deleted_at IS NULL AND id > ${after} ORDER BY id LIMIT ${PAGE}`
        if (page.length > 0) yield* outbox.insert(page.map(configRecord))
        return page
      }).pipe(sql.withTransaction)
      const last = rows.at(-1)
      if (last === undefined) return count
      count += rows.length
      after = last.id
    }
  })

  return Effect.gen(function* () {
    const id = (yield* log.topicIds([CONFIG_TOPIC])).get(CONFIG_TOPIC)
    if (id === undefined) return 0
    const { end } = yield* log.offsets(PLACE)
    const before = yield* places.last(CONFIG_TOPIC)
    // In this order: what is published later is in the outbox before.
    const published = (yield* log.committed(OUTBOX_POSITION.group, OUTBOX_POSITION)) - 1
    const isBehind = (yield* outbox.headId) < published
    const isOther = before !== undefined && (before.id !== id || end < before.end)
    let again = 0
    if (isBehind) yield* afterPublished(published)
    if (isBehind || isOther) {
      const kept = yield* sql<{ readonly id: string }>`SELECT id FROM webhooks WHERE deleted_at IS NULL`
      const gone = yield* known(end)
      for (const row of kept) gone.delete(row.id)
      if (gone.size > 0) yield* sql.withTransaction(outbox.insert(Array.from(gone, tombstone)))
      again = gone.size + (yield* publishAll)
    }
    if (again > 0)
      yield* Effect.logWarning(
        `Every webhook is published again: ${isBehind ? "the database went back behind what was published" : `${CONFIG_TOPIC} was made again, or lost records`}.`
      )
    if (before?.id !== id || before.end !== end) yield* places.keep(CONFIG_TOPIC, { id, end })
    return again
  })
})

/** Looks for the life of the process, in one process at a time of those that publish. */
export const publishAgainLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    // A log in the database goes back with it.
    if ((yield* Settings).kafka === undefined) return
    const leases = yield* Leases
    const look = yield* makePublishAgain
    yield* Effect.forkScoped(
      leases.hold("webhooks.config")(look.pipe(repeatEvery("publishing webhooks again", LOOK_EVERY_MS)))
    )
  })
)
