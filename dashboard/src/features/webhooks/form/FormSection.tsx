/** A section of a form: what it is for, and its controls beside that. It turns red while it has a fault. */
import { IconAlertCircle } from "@tabler/icons-react"
import { type ReactNode, useId } from "react"
import type { Fault } from "../../../api/call.ts"
import { visible } from "../../../words/visible.ts"
import { faultySections, type SectionName, sectionTitles, sentenceOf } from "./faults.ts"
import classes from "./form.module.css"

interface FormSectionProps {
  readonly name: SectionName
  readonly purpose: ReactNode
  readonly faults: ReadonlyArray<Fault>
  readonly children: ReactNode
}

export const FormSection = ({ name, purpose, faults, children }: FormSectionProps) => {
  const id = useId()
  const isFaulty = faultySections(faults).includes(name)
  return (
    <section className={classes["section"]} aria-labelledby={id} data-section={name}>
      <header>
        <h2 id={id} className={isFaulty ? classes["faulty"] : undefined}>
          {isFaulty && <IconAlertCircle size={18} stroke={1.6} aria-hidden />}
          {sectionTitles[name]}
        </h2>
        <p>{purpose}</p>
      </header>
      <div className={classes["controls"]}>{children}</div>
    </section>
  )
}

interface FaultLineProps {
  readonly faults: ReadonlyArray<Fault>
  /** Applies the nearest value; undefined: there is no place for it. */
  readonly onUse?: ((suggestion: string) => void) | undefined
}

/** One sentence about the first fault, and the nearest value as a link. */
export const FaultLine = ({ faults: [fault], onUse }: FaultLineProps) =>
  fault === undefined ? null : (
    <p className={classes["fault"]} role="alert">
      <IconAlertCircle size={14} stroke={1.9} aria-hidden />
      <span>
        {visible(sentenceOf(fault))}
        {fault.suggestion !== undefined && onUse !== undefined && (
          <>
            {" "}
            <button type="button" className={classes["link"]} onClick={() => onUse(fault.suggestion!)}>
              Use <span className="mono">{visible(fault.suggestion)}</span>
            </button>
          </>
        )}
      </span>
    </p>
  )
