/** What a running service gets from the feature. */
import { Layer } from "effect"
import { makeService } from "../Feature.ts"
import { TestDeliveries } from "../testEvents/TestDeliveries.ts"
import { keepEndingQueues } from "../webhooks/DeletedQueues.ts"
import { Deliveries } from "./DeliveriesContract.ts"
import { deliveriesLayer } from "./DeliveriesHandlers.ts"
import { DeliveryQueries } from "./DeliveryQueries.ts"

export const service = makeService({
  api: { groups: [Deliveries], handlers: deliveriesLayer },
  stores: Layer.merge(DeliveryQueries.layer, TestDeliveries.layer),
  upkeep: [keepEndingQueues]
})
