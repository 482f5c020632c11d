/** For how long the service has sent less than a webhook with a backlog takes (WindowUse.ts). Pure. */
import type { WebhookQueue } from "./Lane.ts"
import type { Scheduler } from "./LaneStep.ts"
import { heldUpMs } from "./WindowUse.ts"

/** The requests that may be under way, if nothing but the window holds the webhook back although it has a backlog. */
const windowOf = ({ current, lacking, live }: WebhookQueue): number | undefined => {
  if (live.mode === "log" || lacking || current?.webhook === undefined || current.permission !== "all")
    return undefined
  const { max_in_flight, max_per_second } = current.webhook.config
  return max_per_second === null ? max_in_flight : undefined
}

/** How long the service has held back the webhook with a backlog for which that is longest. */
export const longestHeldUpMs = ({ queues }: Scheduler, lagMs: number, nowMs: number): number => {
  let longest = 0
  for (const queue of queues.values())
    longest = Math.max(longest, heldUpMs(queue.use, queue.inFlight, windowOf(queue), lagMs, nowMs))
  return longest
}
