/**
 * Moves the outbox to the log, in id order, each row exactly once. The progress is the offset of group "outbox",
 * committed in the same transaction of the log as the records, so a crash between appending and deleting repeats
 * nothing. One process publishes at a time (a lease, and the log refuses writes of a replaced writer). While the log
 * or the database is down, the publisher waits and the API continues.
 */
import { Effect, Layer } from "effect"
import { Limits } from "../../config/Limits.ts"
import { Log } from "../../log/Log.ts"
import { retryUntilSuccess } from "../../observe/RetryUntilSuccess.ts"
import { showAge } from "../../observe/StageAges.ts"
import { monotonicClock, monotonicNow } from "../../words/Monotonic.ts"
import { Leases } from "../Leases.ts"
import { OUTBOX_POSITION, Outbox } from "./Outbox.ts"
import { WorkNotices } from "./WorkNotices.ts"

/** The record header with the row's id. */
export const OUTBOX_ID_HEADER = "outbox-id"

/** Publishes one batch. Returns the id of its last row; undefined if there was none. */
export const publishBatch = Effect.fnUntraced(function* (writer: Pick<Log["Service"], "transaction">) {
  const outbox = yield* Outbox
  const log = yield* Log
  const published = (yield* log.committed(OUTBOX_POSITION.group, OUTBOX_POSITION)) - 1
  const rows = yield* outbox.next(Math.max(0, published), Limits.statementRows)
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
  // Also deletes rows that an earlier process had published before it died.
  yield* outbox.removeUpTo(last.id)
  return last.id
})

/** The time since which the outbox has had rows that are not published. Undefined: it has none. */
interface Unpublished {
  sinceMs: number | undefined
}

const publish = Effect.fnUntraced(function* (unpublished: Unpublished) {
  const outbox = yield* Outbox
  const log = yield* Log
  // Open the writer before reading: that ends transactions of an earlier writer.
  const writer = yield* log.exclusive(OUTBOX_POSITION.group)
  const { next } = yield* WorkNotices
  let seen = 0
  while (true) {
    // While nothing is new, only the database is polled.
    const head = yield* outbox.headId
    if (head > seen) unpublished.sinceMs ??= yield* monotonicNow
    while (head > seen) seen = (yield* publishBatch(writer)) ?? head
    unpublished.sinceMs = undefined
    yield* next("outbox")
  }
}, Effect.scoped)

/** The age is measured from when this process saw the row: it counts while the log is away. */
const publishMeasured = Effect.gen(function* () {
  const nowMs = yield* monotonicClock
  const unpublished: Unpublished = { sinceMs: undefined }
  yield* showAge("outbox", () => (unpublished.sinceMs === undefined ? 0 : nowMs() - unpublished.sinceMs))
  return yield* publish(unpublished).pipe(retryUntilSuccess("publishing the outbox"))
}).pipe(Effect.scoped)

/** Publishes whenever this process has the lease. Never ends. */
export const publishOutbox = Effect.flatMap(Leases, (leases) => leases.hold("outbox")(publishMeasured))

export const outboxPublisherLayer = Layer.effectDiscard(Effect.forkScoped(publishOutbox)).pipe(
  Layer.provide(WorkNotices.layer)
)
