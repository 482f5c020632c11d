/** Floats above the lower edge while rows of a list are selected: how many, and what can be done with them. */
import { ActionIcon } from "@mantine/core"
import { IconX } from "@tabler/icons-react"
import type { ReactNode } from "react"
import classes from "./SelectionBar.module.css"

interface SelectionBarProps {
  /** "12 selected" */
  readonly title: string
  /** Beside it, quietly; or the second step, "All 1 038 that match". */
  readonly note?: ReactNode
  readonly onClear: () => void
  /** The actions; the main one last. */
  readonly children: ReactNode
}

export const SelectionBar = ({ title, note, onClear, children }: SelectionBarProps) => (
  <section className={classes["bar"]} aria-label="Selection">
    <div className={classes["words"]} role="status">
      <b>{title}</b> {note}
    </div>
    <div className={classes["actions"]}>
      {children}
      <ActionIcon variant="subtle" color="gray" size="md" aria-label="Clear the selection" onClick={onClear}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </div>
  </section>
)
