/**
 * Moves the outbox to the log: rows in the order of their ids, each exactly once. How far it has come is the offset of
 * group "outbox", committed in the log's own transaction with the records, so a crash between appending and deleting
 * repeats nothing. One process publishes at a time (a lease, and the log refuses a writer that was superseded), and is
 * told when any has written. While the log or the database is away it waits, and the API goes on.
 */
import { Effect, Layer } from "effect"
import { Limits } from "../../config/Limits.ts"
import { EventLog } from "../../log/EventLog.ts"
import { retryUntilSuccess } from "../../observability/RetryUntilSuccess.ts"
import { Leases } from "../Leases.ts"
import { OUTBOX_POSITION, Outbox } from "./Outbox.ts"
import { WorkNotices } from "./WorkNotices.ts"

/** The record's header that names its row. */
export const OUTBOX_ID_HEADER = "outbox-id"

/** Publishes one batch; returns the id of its last row, undefined when there was none. */
export const publishBatch = Effect.fnUntraced(function* (writer: Pick<EventLog["Service"], "transaction">) {
  const outbox = yield* Outbox
  const log = yield* EventLog
  const published = (yield* log.committed(OUTBOX_POSITION.group, OUTBOX_POSITION)) - 1
  const rows = yield* outbox.next(Math.max(0, published), Limits.outboxBatch)
  const last = rows.at(-1)
  if (last === undefined) return undefined
  yield* writer.transaction({
    append: rows.map(({ id, topic, key, value }) => ({
      topic,
      key,
      value,
      headers: { [OUTBOX_ID_HEADER]: String(id) }
    })),
    commit: { group: OUTBOX_POSITION.group, positions: [{ ...OUTBOX_POSITION, offset: last.id + 1 }] }
  })
  // Also what an earlier process had published and not come to delete.
  yield* outbox.removeUpTo(last.id)
  return last.id
})

const publish = Effect.gen(function* () {
  const outbox = yield* Outbox
  const log = yield* EventLog
  // Opened before anything is read: what an earlier writer had under way has ended by then.
  const writer = yield* log.exclusive(OUTBOX_POSITION.group)
  const { next } = yield* WorkNotices
  let seen = 0
  while (true) {
    // The database alone is asked while there is nothing new.
    const head = yield* outbox.headId
    while (head > seen) seen = (yield* publishBatch(writer)) ?? head
    yield* next("outbox")
  }
}).pipe(Effect.scoped)

export const outboxPublisherLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const leases = yield* Leases
    yield* Effect.forkScoped(publish.pipe(leases.hold("outbox"), retryUntilSuccess("publishing the outbox")))
  })
).pipe(Layer.provide(WorkNotices.layer))
