/** The part `webhooks` of `/readyz`: whether this process can send for every webhook. */
import { Effect } from "effect"
import { Health } from "../observe/Health.ts"
import { WebhookRegistry } from "./WebhookRegistry.ts"

/** Registers the check in `Health`. */
export const watchWebhooks = Effect.gen(function* () {
  const health = yield* Health
  const { unusable } = yield* WebhookRegistry
  yield* health.watch(
    "webhooks",
    Effect.sync(() => {
      const detail = unusable()
      return detail === undefined
        ? { status: "ok", detail: "their secrets can be decrypted" }
        : { status: "degraded", detail }
    })
  )
})
