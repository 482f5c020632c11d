/** What a running service gets from the feature. */
import { Layer } from "effect"
import { makeService } from "../Feature.ts"
import { SyntheticEvents } from "./SyntheticEvents.ts"
import { TestDeliveries } from "./TestDeliveries.ts"
import { TestEvents } from "./TestEventContract.ts"
import { testEventsLayer } from "./TestEventHandlers.ts"

export const service = makeService({
  api: { groups: [TestEvents], handlers: testEventsLayer },
  stores: Layer.merge(TestDeliveries.layer, SyntheticEvents.layer)
})
