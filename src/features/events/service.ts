/** What a running service gets from the feature. */
import { Effect, Layer } from "effect"
import { Settings, watchedNetworks } from "../../spine/config/Config.ts"
import { makeService, stage } from "../Feature.ts"
import { AlertStore, forgetAlerts } from "./AlertStore.ts"
import { ChainRestarts } from "./ChainRestarts.ts"
import { EventCounts } from "./EventCounts.ts"
import { EventIndex, maintainEvents } from "./EventIndex.ts"
import { EventQueries } from "./EventQueries.ts"
import { Events } from "./EventsContract.ts"
import { eventsLayer } from "./EventsHandlers.ts"
import { EventTypes } from "./EventTypesContract.ts"
import { eventTypesLayer } from "./EventTypesHandlers.ts"
import { events } from "./IndexEvents.ts"
import { SkippedLedgers } from "./SkipOrders.ts"
import { EventStreams } from "./stream/EventStreams.ts"
import { forgetTransactions, TransactionIndex } from "./TransactionIndex.ts"
import { indexTransactions } from "./Transactions.ts"
import { Transactions } from "./TransactionsContract.ts"
import { transactionsLayer } from "./TransactionsHandlers.ts"

export const service = makeService({
  api: {
    groups: [Events, EventTypes, Transactions],
    handlers: Layer.mergeAll(
      eventsLayer.pipe(Layer.provide(EventStreams.layer)),
      eventTypesLayer,
      transactionsLayer
    )
  },
  stores: Layer.mergeAll(
    AlertStore.layer,
    ChainRestarts.layer,
    SkippedLedgers.layer,
    EventIndex.layer,
    EventQueries.layer,
    EventCounts.layer,
    TransactionIndex.layer
  ),
  stages: [
    stage(
      "events",
      ["events"],
      Effect.flatMap(Settings, (settings) =>
        events(watchedNetworks(settings), settings.rawTransactions ? indexTransactions : undefined)
      )
    )
  ],
  upkeep: [maintainEvents, forgetAlerts, forgetTransactions]
})
