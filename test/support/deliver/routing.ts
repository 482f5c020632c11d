/** Route with a look at what it appends, and the work that is in the log. */
import { Effect } from "effect"
import { DELIVERIES_TOPIC, type DeliveryWork } from "../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import { route } from "../../../src/spine/route/Route.ts"

// Written by route in this shape.
const workOf = ({ value }: { readonly value: string | null }): DeliveryWork => JSON.parse(value!)

/** Route that runs `before` with the work of each transaction before it begins the transaction. */
export const routeAfter = (before: (works: ReadonlyArray<DeliveryWork>) => Effect.Effect<void>) =>
  Effect.flatMap(Log, (log) =>
    Effect.provideService(route(["mainnet"]), Log, {
      ...log,
      transaction: (transaction) =>
        Effect.andThen(before(transaction.append.map(workOf)), log.transaction(transaction))
    })
  )

/** The webhook's work that is in the log, in its order. */
export const queuedFor = Effect.fnUntraced(function* (webhookId: string) {
  const log = yield* Log
  const partition = partitionOf(DELIVERIES_TOPIC, webhookId)
  const records = yield* log.read({ topic: DELIVERIES_TOPIC, partition, offset: 0 }, 1_000)
  return records.filter(({ key }) => key === webhookId).map(workOf)
})
