/** Whether an account is at its first steps: it has no webhook, or one that was just made and waits for an event. */
import { useState } from "react"
import { useMay } from "../../../api/account.ts"
import type { Webhook, WebhookCounts } from "../../../api/ledgerhook.ts"
import { totalOf } from "../../../words/format.ts"

/** A webhook that is older waits for events that are rare. */
const YOUNG_MS = 60 * 60_000

export interface FirstRunState {
  /** The only webhook; undefined if there is none. */
  readonly webhook: Webhook | undefined
  readonly leave: () => void
}

/** Undefined if it is over. It stays until it is left, so that the first event is seen to arrive. */
export const useFirstRun = (
  states: WebhookCounts["states"] | undefined,
  webhooks: ReadonlyArray<Webhook>
): FirstRunState | undefined => {
  const [phase, setPhase] = useState<"unknown" | "shown" | "left">("unknown")
  const [mayWrite, mayRead] = [useMay("webhooks:write"), useMay("deliveries:read")]
  const [webhook] = webhooks
  const isFirst =
    states !== undefined &&
    mayWrite &&
    mayRead &&
    (totalOf(states) === 0 ||
      (totalOf(states) === 1 &&
        states.new === 1 &&
        webhook !== undefined &&
        Date.now() - Date.parse(webhook.created_at) < YOUNG_MS))
  if (isFirst && phase === "unknown") setPhase("shown")
  return phase === "shown" ? { webhook, leave: () => setPhase("left") } : undefined
}
