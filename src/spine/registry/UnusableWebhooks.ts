/**
 * Webhooks that exist and that this process cannot send for: their secret is sealed with a key that it does not have,
 * or their record has a form that it cannot read. Their deliveries wait in the backlog, until this process gets the
 * key or another process gets their partition. The log says which and why: once, and again when it changes. Secrets are
 * tried again every `openSecretsMs`, because the key file may have been replaced.
 */

import { Effect, Latch, Result } from "effect"
import type { WebhookId } from "../words/Ids.ts"
import { RegistryLimits } from "./Limits.ts"

/** Webhooks that a message names for each reason, and reasons that it names. */
const SHOWN = 5

interface Unusable {
  /** What `/readyz` and the log say: it must not contain secrets. */
  readonly reason: string
  /** Tries again. Fails with the reason. Absent if only another record helps. */
  readonly open?: () => Result.Result<void, string>
}

/** The reasons, each with its webhooks. Undefined if there are none. Pure. */
export const describeUnusable = (
  webhooks: ReadonlyMap<string, Pick<Unusable, "reason">>
): string | undefined => {
  if (webhooks.size === 0) return undefined
  const byReason = Map.groupBy(webhooks, ([, { reason }]) => reason)
  const sentences = Array.from(byReason, ([reason, all]) => {
    const ids = all.slice(0, SHOWN).map(([id]) => id)
    const more = all.length > ids.length ? ` and ${all.length - ids.length} more` : ""
    return `the deliveries of ${ids.join(", ")}${more} wait in this process: ${reason}`
  })
  return sentences.slice(0, SHOWN).join(" ")
}

export const makeUnusableWebhooks = Effect.gen(function* () {
  const { openSecretsMs } = yield* RegistryLimits
  const webhooks = new Map<string, Unusable>()
  const some = Latch.makeUnsafe()
  let said: string | undefined

  const tryAgain = () => {
    /** The reasons before and now. Webhooks with the same reason lack the same key: one of them is enough to try. */
    const failed = new Map<string, string>()
    for (const [id, { open, reason }] of webhooks) {
      if (open === undefined) continue
      const known = failed.get(reason)
      const opened = known === undefined ? open() : Result.fail(known)
      if (Result.isSuccess(opened)) webhooks.delete(id)
      else {
        failed.set(reason, opened.failure)
        webhooks.set(id, { open, reason: opened.failure })
      }
    }
  }

  const watch = Effect.gen(function* () {
    yield* Latch.await(some)
    // The other records of the same read may have the same fault.
    yield* Effect.yieldNow
    tryAgain()
    const now = describeUnusable(webhooks)
    if (now === undefined) {
      some.closeUnsafe()
      if (said !== undefined) yield* Effect.logInfo("the deliveries of all webhooks resume")
    } else if (now !== said) yield* Effect.logError(now)
    said = now
    yield* Effect.sleep(openSecretsMs)
  })
  yield* Effect.forkScoped(Effect.forever(watch))

  return {
    has: (webhookId: WebhookId) => webhooks.has(webhookId),
    set: (webhookId: WebhookId, unusable: Unusable) => {
      webhooks.set(webhookId, unusable)
      some.openUnsafe()
    },
    delete: (webhookId: WebhookId) => void webhooks.delete(webhookId),
    described: () => describeUnusable(webhooks)
  }
})
