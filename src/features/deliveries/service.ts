/** What a running service gets from the feature. */

import { makeService } from "../Feature.ts"
import { Deliveries } from "./DeliveriesContract.ts"
import { deliveriesLayer } from "./DeliveriesHandlers.ts"
import { DeliveryQueries } from "./DeliveryQueries.ts"

export const service = makeService({
  api: { groups: [Deliveries], handlers: deliveriesLayer },
  stores: DeliveryQueries.layer
})
