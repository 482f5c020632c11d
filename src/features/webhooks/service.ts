/** What a running service gets from the feature. */
import { Layer } from "effect"
import { makeService } from "../Feature.ts"
import { AccountFiltersGroup } from "./AccountFiltersContract.ts"
import { accountFiltersLayer } from "./AccountFiltersHandlers.ts"
import { keepEndingQueues } from "./DeletedQueues.ts"
import { FilterPreviews } from "./FilterPreviewContract.ts"
import { filterPreviewsLayer } from "./FilterPreviewHandlers.ts"
import { requireKeys } from "./SecretRotation.ts"
import { forgetPreviousSecrets, WebhookStore } from "./WebhookStore.ts"
import { Webhooks } from "./WebhooksContract.ts"
import { webhooksLayer } from "./WebhooksHandlers.ts"

export const service = makeService({
  api: {
    groups: [Webhooks, FilterPreviews, AccountFiltersGroup],
    handlers: Layer.mergeAll(webhooksLayer, filterPreviewsLayer, accountFiltersLayer)
  },
  // The start fails if the key of a stored secret is missing: its webhook's deliveries would wait.
  stores: Layer.merge(WebhookStore.layer, Layer.effectDiscard(requireKeys)),
  upkeep: [forgetPreviousSecrets, keepEndingQueues]
})
