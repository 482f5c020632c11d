/** Chooses an event type or a family of them. */
import { Select } from "@mantine/core"
import { families } from "./eventTypes.ts"
import { choices } from "./selecting.ts"

const data = families.map(({ pattern, types }) => ({
  group: pattern.slice(0, pattern.indexOf(".")),
  items: [
    { value: pattern, label: `${pattern} (all)` },
    ...types.map((type) => ({ value: type, label: type }))
  ]
}))

interface EventTypeSelectProps {
  /** Undefined: every type. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly size?: "xs" | "sm"
}

export const EventTypeSelect = ({ value, onChange, size = "sm" }: EventTypeSelectProps) => (
  <Select
    {...choices}
    size={size}
    label="Event type"
    placeholder="Every type"
    data={data}
    value={value ?? null}
    onChange={(chosen) => onChange(chosen ?? undefined)}
  />
)
