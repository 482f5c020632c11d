/** Chooses the period that figures and charts are of. */
import { SegmentedControl } from "@mantine/core"

const HOUR_MS = 3_600_000

/** `pointMs`: how long a point of a series is. */
export const periods = {
  "1h": { label: "1 h", name: "the last hour", ms: HOUR_MS, pointMs: HOUR_MS / 60 },
  "24h": { label: "24 h", name: "the last 24 hours", ms: 24 * HOUR_MS, pointMs: HOUR_MS / 4 },
  "7d": { label: "7 d", name: "the last 7 days", ms: 168 * HOUR_MS, pointMs: 6 * HOUR_MS },
  "30d": { label: "30 d", name: "the last 30 days", ms: 720 * HOUR_MS, pointMs: 24 * HOUR_MS }
} as const

export type Period = keyof typeof periods

/** The period that a page begins with. A day of webhooks that were made just now would be one bar. */
export const firstPeriod = (webhooks: ReadonlyArray<{ readonly created_at: string }>): Period =>
  webhooks.length > 0 && webhooks.every(({ created_at }) => Date.now() - Date.parse(created_at) < HOUR_MS)
    ? "1h"
    : "24h"

interface PeriodSelectProps {
  readonly value: Period
  readonly onChange: (period: Period) => void
}

export const PeriodSelect = ({ value, onChange }: PeriodSelectProps) => (
  <SegmentedControl
    aria-label="Period"
    withItemsBorders={false}
    data={Object.entries(periods).map(([period, { label }]) => ({ value: period, label }))}
    value={value}
    onChange={(period) => onChange(period as Period)}
  />
)
