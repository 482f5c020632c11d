/**
 * The delivery actor of one partition: it alone delivers to the webhooks of that partition, while it owns it. It owns the
 * partition of `webhooks.deliveries`; the one of that number of `webhooks.replays` comes to it, whichever is assigned
 * first, and until then waits: live and replayed deliveries of a webhook leave through one outlet, or not at all.
 *
 * When the partition is lost or the process stops, nothing new starts, and what is in flight is finished, recorded and
 * committed.
 */
import { Effect, Latch } from "effect"
import { StageLimits } from "../config/StageLimits.ts"
import type { AssignedPartition } from "../log/EventLog.ts"
import { partitionOf } from "../log/Topics.ts"
import { patiently } from "../observability/Patiently.ts"
import { DeliveryStore } from "../storage/deliveries/DeliveryStore.ts"
import { makeFeed } from "./Feed.ts"
import { type Lanes, makeLanes } from "./Lanes.ts"

interface RunningActor {
  readonly lanes: Lanes
  readonly ended: Latch.Latch
}

/** The actors of this process, for the replays of their partitions. */
export interface Actors {
  readonly running: Map<number, RunningActor>
  /** Opened when one comes. */
  readonly changed: Latch.Latch
}

export const makeActors = (): Actors => ({ running: new Map(), changed: Latch.makeUnsafe() })

export const run = Effect.fnUntraced(function* (partition: AssignedPartition, actors: Actors) {
  const { drainMs } = yield* StageLimits
  const deliveries = yield* DeliveryStore
  const lanes = yield* makeLanes
  const feed = yield* makeFeed(partition, "live")

  // Runs before the lanes' scope closes, so their fibers are still there to finish.
  yield* Effect.addFinalizer(() =>
    lanes.drain.pipe(
      Effect.timeoutOrElse({
        duration: drainMs,
        orElse: () =>
          Effect.logWarning("attempts did not end in time; they will be made again", lanes.inFlight())
      }),
      Effect.andThen(feed.commit),
      Effect.ignore
    )
  )

  const webhooks = yield* deliveries.webhooksWithBacklog.pipe(
    patiently("reading which webhooks have a backlog")
  )
  lanes.resume(webhooks.filter((id) => partitionOf(partition.topic, id) === partition.partition))
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const present = { lanes, ended: Latch.makeUnsafe() }
      actors.running.set(partition.partition, present)
      actors.changed.openUnsafe()
      return present
    }),
    ({ ended }) =>
      Effect.sync(() => {
        actors.running.delete(partition.partition)
        ended.openUnsafe()
      })
  )
  yield* Effect.raceFirst(feed.into(lanes), lanes.failure)
}, Effect.scoped)

/** The partition of replays: feeds the lanes of its number's actor while that is here. */
export const runReplays = Effect.fnUntraced(function* (partition: AssignedPartition, actors: Actors) {
  const feed = yield* makeFeed(partition, "replays")
  yield* Effect.addFinalizer(() => Effect.ignore(feed.commit))

  const actor = Effect.gen(function* () {
    while (true) {
      const present = actors.running.get(partition.partition)
      if (present !== undefined) return present
      actors.changed.closeUnsafe()
      yield* Latch.await(actors.changed)
    }
  })
  return yield* Effect.forever(
    Effect.flatMap(actor, ({ lanes, ended }) => Effect.raceFirst(feed.into(lanes), Latch.await(ended)))
  )
}, Effect.scoped)
