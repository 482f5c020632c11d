/**
 * Computes the range of ids that the live deliveries of an event have. An id begins with the time at which the
 * event's ledger was taken and the event's position in that ledger. If the network's log does not have the ledger,
 * there is no range.
 */
import { Effect, Option } from "effect"
import type { LiveIds } from "../../spine/deliveries/DeliveryPages.ts"
import { ledgerOfEventId } from "../../spine/event/EventId.ts"
import type { Network } from "../../spine/event/Network.ts"
import type { LogReader } from "../../spine/log/Log.ts"
import { findLedgers } from "../../spine/log/ledgers/LedgerEvents.ts"
import { ledgerRanges } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { type EventId, firstDeliveryIdAt, firstIdAt } from "../../spine/words/Ids.ts"
import type { EventQueries } from "../events/EventQueries.ts"

export const liveDeliveryIds = Effect.fnUntraced(function* (
  log: LogReader["Service"],
  events: EventQueries["Service"],
  networks: ReadonlyArray<Network>,
  eventId: EventId
) {
  const ledgerIndex = ledgerOfEventId(eventId)
  const ofNetwork = Effect.fnUntraced(function* (network: Network) {
    const ranges = yield* ledgerRanges(log, network)
    const ledgers = yield* findLedgers(log, network, { ranges, history: [] }, ledgerIndex)
    if (ledgers.length === 0) return []
    const event = Option.getOrUndefined(yield* events.find(network, ledgerIndex, eventId))
    return ledgers.map(({ marker: { detected_at: takenAt } }): LiveIds => {
      // While the event index does not have the event, its position is unknown.
      const [from, end] =
        event === undefined
          ? [firstIdAt("dlv_", takenAt), firstIdAt("dlv_", takenAt + 1)]
          : [firstDeliveryIdAt(takenAt, event.position), firstDeliveryIdAt(takenAt, event.position + 1)]
      return { network, from, end }
    })
  })
  return (yield* Effect.forEach(networks, ofNetwork)).flat()
})
