/**
 * Feeds work to a stage as fast as the stage finishes it: `take` of a partition waits while too many of its records are
 * not recorded yet. So lanes never moveToBacklog to the backlog, whose speed another benchmark measures.
 */
import { Clock, Effect, Latch, Layer } from "effect"
import { DeliveryStore } from "../../src/spine/deliveries/DeliveryStore.ts"
import type { AttemptRecord } from "../../src/spine/deliveries/Transitions.ts"
import { Log } from "../../src/spine/log/Log.ts"

export interface Feed {
  /** Deliveries recorded so far. */
  readonly recorded: () => number
  /** Waits until that many deliveries are recorded. Dies if a lane spills while the feed is limited. */
  readonly until: (count: number) => Effect.Effect<void>
  readonly hold: (limits: FeedLimits) => void
  /** Ends the limit: every later `take` returns without waiting. */
  readonly release: () => void
  readonly log: Layer.Layer<Log, never, Log>
  readonly store: Layer.Layer<DeliveryStore, never, DeliveryStore>
}

export interface FeedLimits {
  /** Only this topic's consumers are held back. */
  readonly topic: string
  /** Records taken at once. */
  readonly takeRecords: number
  /** Deliveries that one record becomes. */
  readonly deliveriesPerRecord: number
  /** A partition may take more while at most this many of its records are not recorded; below 0: never. */
  readonly aheadRecords: number
  /** The topic's partition that a delivery came from. */
  readonly partitionOf: (deliveryId: string) => number
}

/** A single one that waits for a second on a busy machine changes no figure. */
const SPILLED_PART = 0.01

export const makeFeed = (): Feed => {
  let limits: FeedLimits | undefined
  let recorded = 0
  /** Deliveries that a lane spilled to the backlog although the feed is limited. */
  let spilled = 0
  /** For each partition, how many deliveries were taken and are not recorded yet. */
  const open = new Map<number, number>()
  const add = (partition: number, deliveries: number) =>
    void open.set(partition, (open.get(partition) ?? 0) + deliveries)
  let moved = Latch.makeUnsafe()

  const wake = () => {
    const waiting = moved
    moved = Latch.makeUnsafe()
    waiting.openUnsafe()
  }

  const whenever = (holds: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() => (holds() ? Effect.void : Effect.flatMap(Latch.await(moved), () => whenever(holds))))

  const log = Layer.effect(
    Log,
    Effect.map(Log, (log) =>
      Log.of({
        ...log,
        consume: (options, handle) =>
          log.consume(options, (partition) =>
            handle({
              ...partition,
              take: (max) =>
                Effect.suspend(() => {
                  if (limits?.topic !== partition.topic) return partition.take(max)
                  const { takeRecords, deliveriesPerRecord } = limits
                  const number = partition.partition
                  const mayGoOn = () =>
                    (open.get(number) ?? 0) <= (limits?.aheadRecords ?? 0) * deliveriesPerRecord
                  // The gate follows the take: a consumer that waits at the log's end would be past a gate before it.
                  return Effect.flatMap(partition.take(Math.min(max, takeRecords)), (records) =>
                    Effect.map(Effect.andThen(whenever(mayGoOn), Clock.currentTimeMillis), (timestamp) => {
                      add(number, records.length * deliveriesPerRecord)
                      // As if they had just come: deliver does not wait for room for records that are old.
                      return records.map((record) => ({ ...record, timestamp }))
                    })
                  )
                })
            })
          )
      })
    )
  )

  const wrote = (attempts: ReadonlyArray<AttemptRecord>) =>
    Effect.sync(() => {
      recorded += attempts.length
      if (limits !== undefined) for (const { deliveryId } of attempts) add(limits.partitionOf(deliveryId), -1)
      wake()
    })

  const store = Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) =>
      DeliveryStore.of({
        ...store,
        record: (attempts, disableAfter) => Effect.tap(store.record(attempts, disableAfter), wrote(attempts)),
        recordFirst: (ended, disableAfter) =>
          Effect.tap(store.recordFirst(ended, disableAfter), wrote(ended.map(({ attempt }) => attempt))),
        moveToBacklog: (ids, lane) => {
          if (limits !== undefined) {
            spilled += ids.length
            wake()
          }
          return store.moveToBacklog(ids, lane)
        }
      })
    )
  )

  return {
    recorded: () => recorded,
    until: (total) =>
      whenever(() => {
        // Their lanes read the backlog only when the feed has caught up, for which it may wait for them.
        if (spilled > SPILLED_PART * total)
          throw new Error(
            `${spilled} deliveries spilled to the backlog: lower aheadRecords of the benchmark's feed`
          )
        return recorded >= total
      }),
    hold: (given) => {
      limits = given
      wake()
    },
    release: () => {
      limits = undefined
      wake()
    },
    log,
    store
  }
}
