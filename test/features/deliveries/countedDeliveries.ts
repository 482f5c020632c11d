/** The deliveries of `test/support/deliver/deliveryRows.ts` with what the API reads of them and of their webhooks. */
import { Layer } from "effect"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { recordingLayer } from "../../support/deliver/deliveryRows.ts"

export const DeliveriesLive = Layer.merge(DeliveryQueries.layer, WebhookStore.layer).pipe(
  Layer.provideMerge(recordingLayer)
)
