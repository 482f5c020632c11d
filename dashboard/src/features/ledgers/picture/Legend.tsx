/** What the colours of the dots mean, and how many dots of each the picture has. */
import { count } from "../../../words/format.ts"
import { colourOf, families } from "./families.ts"
import classes from "./Live.module.css"
import { totalsOf } from "./ledgers.ts"
import { outcomesOf } from "./rows.ts"
import { outcomeColours } from "./stacks.ts"
import type { PictureState } from "./usePicture.ts"

interface EntryProps {
  readonly colour: string
  readonly label: string
  readonly dots: number
}

const Entry = ({ colour, label, dots }: EntryProps) => (
  <li>
    <i className={classes["dot"]} style={{ background: colour }} />
    {label} <span>{count(dots)}</span>
  </li>
)

export const Legend = ({ picture: { mode, rows, shown } }: { readonly picture: PictureState }) => {
  const totals = totalsOf(shown)
  const outcomes = shown.flatMap(({ webhooks }) =>
    webhooks.filter(({ webhook_id }) => rows.some(({ id }) => id === webhook_id)).map(outcomesOf)
  )
  return (
    <ul className={classes["legend"]} aria-label="Colours of the dots">
      {mode === "family"
        ? families.map(({ id, label }, family) => (
            <Entry key={id} colour={colourOf(family)} label={label} dots={totals[family]!} />
          ))
        : outcomeColours.map(({ colour, label }, outcome) => (
            <Entry
              key={label}
              colour={`var(${colour})`}
              label={label}
              dots={outcomes.reduce((sum, one) => sum + one[outcome]!, 0)}
            />
          ))}
    </ul>
  )
}
