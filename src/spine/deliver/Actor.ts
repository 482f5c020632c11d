/**
 * The delivery actor of one partition. While a process owns partition N of `webhooks.deliveries`, only its actor N
 * sends to the webhooks of that partition. Partition N of `webhooks.replays` feeds the same actor and waits until the
 * actor runs, so one place applies a webhook's limits to both.
 *
 * When the partition is lost or the process stops, the actor starts nothing new. It waits up to `drainMs` for
 * attempts in flight, records them and commits.
 */
import { Effect, Latch } from "effect"
import { DeliveryStore } from "../deliveries/DeliveryStore.ts"
import type { AssignedPartition } from "../log/Log.ts"
import { partitionOf } from "../log/Topics.ts"
import { retryUntilSuccess } from "../observe/RetryUntilSuccess.ts"
import { WebhookRegistry } from "../registry/WebhookRegistry.ts"
import { DeliverLimits } from "./Limits.ts"
import { type Dispatcher, makeDispatcher } from "./queue/Dispatcher.ts"
import { makeFeed } from "./take/Feed.ts"

interface RunningActor {
  readonly dispatcher: Dispatcher
  readonly ended: Latch.Latch
}

/** The running actors of this process, by partition number. */
export interface Actors {
  readonly running: Map<number, RunningActor>
  /** Opened when an actor starts. */
  readonly changed: Latch.Latch
}

export const makeActors = (): Actors => ({ running: new Map(), changed: Latch.makeUnsafe() })

export const run = Effect.fnUntraced(function* (partition: AssignedPartition, actors: Actors) {
  const { drainMs } = yield* DeliverLimits
  const deliveries = yield* DeliveryStore
  const registry = yield* WebhookRegistry
  const dispatcher = yield* makeDispatcher
  const feed = yield* makeFeed(partition, "live")

  // Runs before the dispatcher's scope closes: draining needs its fibers.
  yield* Effect.addFinalizer(() =>
    dispatcher.drain.pipe(
      Effect.timeoutOrElse({
        duration: drainMs,
        orElse: () =>
          Effect.logWarning(
            `attempts did not end within ${drainMs} ms; the next owner makes them again`,
            dispatcher.inFlight()
          )
      }),
      Effect.andThen(feed.commit),
      Effect.ignore
    )
  )

  // The dispatcher takes a webhook that is unknown to be deleted, and its backlog would stay where it is.
  yield* registry.upToDate.pipe(retryUntilSuccess("catching up with webhooks.config"))
  const webhooks = yield* deliveries.webhooksWithBacklog.pipe(
    retryUntilSuccess("reading which webhooks have a backlog")
  )
  dispatcher.resume(webhooks.filter((id) => partitionOf(partition.topic, id) === partition.partition))
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const present = { dispatcher, ended: Latch.makeUnsafe() }
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
  yield* Effect.raceFirst(feed.into(dispatcher), dispatcher.failure)
}, Effect.scoped)

/** Feeds a partition of `webhooks.replays` into the actor of the same number, whenever this process runs it. */
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
    Effect.flatMap(actor, ({ dispatcher, ended }) =>
      Effect.raceFirst(feed.into(dispatcher), Latch.await(ended))
    )
  )
}, Effect.scoped)
