/** A state as an icon and a word. The word alone says everything. */
import {
  IconAlertCircle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleXFilled,
  IconClock,
  IconLoader2,
  IconPlayerPauseFilled,
  IconPlayerStopFilled,
  IconSparkles
} from "@tabler/icons-react"
import classes from "./Status.module.css"

const looks = {
  good: IconCircleCheck,
  bad: IconCircleXFilled,
  wait: IconClock,
  warn: IconAlertCircle,
  running: IconLoader2,
  paused: IconPlayerPauseFilled,
  off: IconBan,
  stopped: IconPlayerStopFilled,
  new: IconSparkles,
  idle: IconCircleDashed
} as const

const states = {
  healthy: "good",
  delivered: "good",
  active: "good",
  completed: "good",
  complete: "good",
  failing: "bad",
  failed: "bad",
  gaps: "bad",
  waiting: "wait",
  retrying: "wait",
  "catching up": "wait",
  incomplete: "warn",
  running: "running",
  paused: "paused",
  disabled: "off",
  revoked: "off",
  cancelled: "off",
  stopped: "stopped",
  expired: "off",
  new: "new",
  pending: "idle",
  queued: "idle"
} as const satisfies Record<string, keyof typeof looks>

export type StatusName = keyof typeof states

export const StatusIcon = ({ of, size = 16 }: { readonly of: StatusName; readonly size?: number }) => {
  const look = states[of]
  const Icon = looks[look]
  return <Icon size={size} stroke={1.9} className={classes["icon"]} data-look={look} aria-hidden />
}

interface StatusProps {
  readonly of: StatusName
  /** By default the state's own name. */
  readonly label?: string
}

export const Status = ({ of, label }: StatusProps) => (
  <span className={classes["status"]} data-look={states[of]}>
    <StatusIcon of={of} />
    {label ?? of[0]!.toUpperCase() + of.slice(1)}
  </span>
)
