/** The filters above a list: one row on a wide screen, folded on a narrow one. */
import { Button, TextInput } from "@mantine/core"
import { type ReactNode, useEffect, useId, useState } from "react"
import { fromLocalInput, localInput } from "../../words/localInput.ts"
import classes from "./FilterBar.module.css"

interface FilterBarProps {
  /** How many filters are set. */
  readonly active: number
  readonly onClear: () => void
  readonly children: ReactNode
}

export const FilterBar = ({ active, onClear, children }: FilterBarProps) => {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <search className={classes["bar"]} aria-label="Filters">
      <div className={classes["toggle"]}>
        <Button
          size="xs"
          variant="default"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          {active === 0 ? "Filters" : `Filters (${active} set)`}
        </Button>
      </div>
      <div id={id} className={classes["filters"]} data-open={open}>
        {children}
      </div>
      {active > 0 && (
        <Button size="xs" variant="default" className={classes["clear"]} onClick={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  )
}

interface FilterProps {
  readonly label: string
  readonly value: string | undefined
  /** Undefined: the filter is not set. */
  readonly onChange: (value: string | undefined) => void
  readonly placeholder?: string
  /** For a few characters only. */
  readonly short?: boolean
  /** Its placeholder says enough for those who see it. */
  readonly isLabelHidden?: boolean
}

/** A text filter. It applies when the viewer presses Enter or leaves the field. */
export const FilterText = ({ label, value, onChange, placeholder, short, isLabelHidden }: FilterProps) => {
  const [text, setText] = useState(value ?? "")
  useEffect(() => setText(value ?? ""), [value])
  const apply = () => {
    const next = text.trim() === "" ? undefined : text.trim()
    if (next !== value) onChange(next)
  }
  return (
    <TextInput
      {...(isLabelHidden ? { "aria-label": label, size: "sm" } : { label, size: "xs" })}
      placeholder={placeholder}
      className={short ? classes["short"] : undefined}
      value={text}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === "Enter" && apply()}
    />
  )
}

/** A time filter in the viewer's zone. `value` is ISO 8601. */
export const FilterTime = ({ label, value, onChange }: FilterProps) => {
  const [local, setLocal] = useState(localInput(value))
  useEffect(() => setLocal(localInput(value)), [value])
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      className={classes["time"]}
      label={label}
      value={local}
      onChange={(event) => setLocal(event.currentTarget.value)}
      onBlur={() => local !== localInput(value) && onChange(fromLocalInput(local))}
      onKeyDown={(event) => event.key === "Enter" && onChange(fromLocalInput(local))}
    />
  )
}
