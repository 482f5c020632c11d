/** Stays at the lower edge of a form: what will happen, or how many faults there are, and the main button. */
import { Button } from "@mantine/core"
import { IconArrowDown, IconCircleXFilled } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { plural } from "../../../words/format.ts"
import { type SectionName, sectionTitles } from "./faults.ts"
import classes from "./form.module.css"

interface FormBarProps {
  readonly faulty: ReadonlyArray<SectionName>
  /** How many faults there are. */
  readonly faults: number
  readonly onNext: () => void
  /** What will happen. */
  readonly summary: ReactNode
  readonly cancel: ReactNode
  readonly action: string
  readonly saving: boolean
}

export const FormBar = ({ faulty, faults, onNext, summary, cancel, action, saving }: FormBarProps) => (
  <div className={classes["bar"]}>
    {faults > 0 ? (
      <div className={classes["summary"]} role="status">
        <IconCircleXFilled size={16} className="bad" aria-hidden />
        <b>{plural(faults, "thing")} to correct:</b>
        <span className={classes["where"]}>
          {faulty.map((name) => sectionTitles[name].toLowerCase()).join(", ")}
        </span>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          rightSection={<IconArrowDown size={16} aria-hidden />}
          onClick={onNext}
        >
          Next
        </Button>
      </div>
    ) : (
      <div className={classes["summary"]} role="status">
        {summary}
      </div>
    )}
    <div className={classes["actions"]}>
      {cancel}
      <Button type="submit" loading={saving}>
        {action}
      </Button>
    </div>
  </div>
)
