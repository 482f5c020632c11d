/** A status as a word with a colour. The word alone says everything. */
import classes from "./Status.module.css"

const tones = {
  delivered: "good",
  active: "good",
  healthy: "good",
  completed: "good",
  complete: "good",
  running: "good",
  failed: "bad",
  disabled: "bad",
  failing: "bad",
  retrying: "waiting",
  pending: "waiting",
  queued: "waiting",
  waiting: "waiting",
  paused: "waiting",
  "catching up": "waiting",
  gaps: "bad",
  new: "idle",
  cancelled: "idle",
  revoked: "idle",
  expired: "idle"
} as const

export type StatusName = keyof typeof tones

export const Status = ({ children }: { readonly children: StatusName }) => (
  <span className={classes["status"]} data-tone={tones[children]}>
    {children}
  </span>
)
