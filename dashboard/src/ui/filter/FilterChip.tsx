/** A filter as a chip: it opens what sets it, and a set one says its value and has a button that clears it. */
import { Popover } from "@mantine/core"
import { IconChevronDown, IconX } from "@tabler/icons-react"
import { type ReactNode, useState } from "react"
import classes from "./FilterChip.module.css"

interface SetChipProps {
  readonly label: string
  /** Undefined: the filter is not set. */
  readonly value: ReactNode
  readonly onClear: () => void
}

const ClearButton = ({ label, onClear }: Omit<SetChipProps, "value">) => (
  <button type="button" className={classes["clear"]} aria-label={`Clear: ${label}`} onClick={onClear}>
    <IconX size={14} aria-hidden />
  </button>
)

/** A filter that is set elsewhere. Nothing if it is not. */
export const SetChip = ({ label, value, onClear }: SetChipProps) =>
  value === undefined ? null : (
    <span className={classes["chip"]} data-set>
      <span className={`chip ${classes["words"]}`}>
        <span>{label}:</span> <b>{value}</b>
      </span>
      <ClearButton label={label} onClear={onClear} />
    </span>
  )

interface FilterChipProps extends SetChipProps {
  /** The controls that set it. `close` when one value is all there is to choose. */
  readonly children: (close: () => void) => ReactNode
}

export const FilterChip = ({ label, value, onClear, children }: FilterChipProps) => {
  const [open, setOpen] = useState(false)
  return (
    <span className={classes["chip"]} data-set={value !== undefined || undefined}>
      <Popover
        position="bottom-start"
        opened={open}
        onChange={setOpen}
        trapFocus
        returnFocus
        withinPortal={false}
      >
        <Popover.Target>
          <button type="button" className={`chip ${classes["words"]}`} onClick={() => setOpen(!open)}>
            {value === undefined ? (
              <>
                {label}
                <IconChevronDown size={14} aria-hidden />
              </>
            ) : (
              <>
                <span>{label}:</span> <b>{value}</b>
              </>
            )}
          </button>
        </Popover.Target>
        <Popover.Dropdown className={classes["dropdown"] ?? ""}>
          {children(() => setOpen(false))}
        </Popover.Dropdown>
      </Popover>
      {value !== undefined && <ClearButton label={label} onClear={onClear} />}
    </span>
  )
}
