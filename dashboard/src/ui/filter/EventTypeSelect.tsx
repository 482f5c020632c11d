/** Choose an event type or a family of them, or several. */
import { MultiSelect, Select } from "@mantine/core"
import { families } from "../../words/eventTypes.ts"
import classes from "./FilterBar.module.css"
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

interface EventTypesSelectProps {
  /** Empty: every type. */
  readonly value: ReadonlyArray<string>
  readonly onChange: (value: ReadonlyArray<string>) => void
}

export const EventTypesSelect = ({ value, onChange }: EventTypesSelectProps) => (
  <MultiSelect
    {...choices}
    // Each type can be removed, and "Clear filters" removes all.
    clearable={false}
    size="xs"
    className={classes["types"]}
    classNames={{ pill: classes["pill"] ?? "" }}
    label="Event types"
    placeholder={value.length === 0 ? "Every type" : "Add a type"}
    data={data}
    value={[...value]}
    onChange={onChange}
  />
)
