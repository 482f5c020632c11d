/** For how long the service has sent less than a webhook with a backlog takes (WindowUse.ts). Pure. */
import type { Outlet } from "./Lane.ts"
import type { LaneMachine } from "./LaneStep.ts"
import { heldUpMs } from "./WindowUse.ts"

/** The requests that may be under way, if nothing but the window holds the webhook back although it has a backlog. */
const windowOf = ({ current, lacking, live }: Outlet): number | undefined => {
  if (live.mode === "log" || lacking || current?.webhook === undefined || current.permission !== "all")
    return undefined
  const { max_in_flight, max_per_second } = current.webhook.config
  return max_per_second === null ? max_in_flight : undefined
}

/** How long the service has held back the webhook with a backlog for which that is longest. */
export const longestHeldUpMs = ({ outlets }: LaneMachine, lagMs: number, nowMs: number): number => {
  let longest = 0
  for (const outlet of outlets.values())
    longest = Math.max(longest, heldUpMs(outlet.use, outlet.inFlight, windowOf(outlet), lagMs, nowMs))
  return longest
}
