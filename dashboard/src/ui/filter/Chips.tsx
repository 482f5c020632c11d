/** A choice among a few filters of a list, each with its number of rows. One is always chosen. */
import type { ReactNode } from "react"
import { count } from "../../words/format.ts"
import classes from "./Chips.module.css"

interface Chip<Value> {
  readonly value: Value
  readonly label: string
  readonly icon?: ReactNode
  /** Undefined: it is not known. */
  readonly rows?: number | undefined
}

interface ChipsProps<Value> {
  /** What they choose, such as "Status". */
  readonly label: string
  readonly chips: ReadonlyArray<Chip<Value>>
  readonly chosen: Value
  readonly choose: (value: Value) => void
}

export const Chips = <Value extends string | undefined>({
  label,
  chips,
  chosen,
  choose
}: ChipsProps<Value>) => (
  <fieldset className={classes["chips"]} aria-label={label}>
    {chips.map(({ icon, label: name, rows, value }) => (
      <button
        key={name}
        type="button"
        className="chip"
        aria-pressed={value === chosen}
        onClick={() => choose(value)}
      >
        {icon}
        {name} {rows !== undefined && <span>{count(rows)}</span>}
      </button>
    ))}
  </fieldset>
)
