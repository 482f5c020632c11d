/**
 * Waits until a view of `webhooks.config` contains every change that the API has answered. The API commits a change to
 * the outbox, and the outbox is published to the log; so the wait is for both.
 */
import { Effect, Schedule } from "effect"
import type { CompactedView } from "../log/CompactedView.ts"
import { Log } from "../log/Log.ts"
import { OUTBOX_POSITION, Outbox } from "../store/outbox/Outbox.ts"

/** Pauses between checks whether a committed change has been published from the outbox. They double. */
const POLL_MS = { first: 10, longest: 100 }

/** Usually publishing takes some milliseconds, but as long as a lease if the process that publishes has died. */
const catchUpSchedule = Schedule.min([Schedule.exponential(POLL_MS.first), Schedule.spaced(POLL_MS.longest)])

/**
 * Waits until the view contains everything that was in the outbox when this was called. `isWhole`: whether that is
 * everything that there is (PublishAgain.ts).
 */
export const upToDateWith = Effect.fnUntraced(function* <E, R>(
  { caughtUp }: CompactedView,
  isWhole: Effect.Effect<boolean, E, R>
) {
  const log = yield* Log
  const outbox = yield* Outbox
  /** A topic that is made again later starts this part anew. */
  let wasWhole = false

  const published = (id: number) =>
    log
      .committed(OUTBOX_POSITION.group, OUTBOX_POSITION)
      .pipe(Effect.repeat({ until: (committed) => committed > id, schedule: catchUpSchedule }))

  return Effect.gen(function* () {
    if (!wasWhole) {
      yield* isWhole.pipe(Effect.repeat({ until: (whole) => whole, schedule: catchUpSchedule }))
      wasWhole = true
    }
    const head = yield* outbox.headId
    if (head > 0) yield* published(head)
    yield* caughtUp
  })
})
