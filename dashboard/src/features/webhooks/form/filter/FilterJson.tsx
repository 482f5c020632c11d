/** The JSON of a payload filter, coloured while it is edited: the input lies above a picture of its text. */
import { type KeyboardEvent, useId } from "react"
import { Copy } from "../../../../ui/value/Copy.tsx"
import { jsonParts } from "../../../../words/json.ts"
import classes from "./filter.module.css"

interface FilterJsonProps {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly isFaulty: boolean
  /** Keys that the API does not know. */
  readonly wrong: ReadonlySet<string>
}

const EXAMPLE = '{ "amount": { "$gte": "1000000" } }'

export const FilterJson = ({ value, onChange, isFaulty, wrong }: FilterJsonProps) => {
  const id = useId()
  return (
    <div className={classes["json"]} data-faulty={isFaulty || undefined}>
      <div className={classes["jsonHead"]}>
        <label htmlFor={id}>JSON</label>
        <Copy value={value} what="the filter" />
      </div>
      <div className={classes["text"]}>
        <pre aria-hidden>
          {jsonParts(value).map((part, at) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
              key={at}
              data-is={part.is}
              data-wrong={(part.is === "key" && wrong.has(part.text.slice(1, -1))) || undefined}
            >
              {part.text}
            </span>
          ))}
          {"\n"}
        </pre>
        <textarea
          id={id}
          aria-invalid={isFaulty}
          spellCheck={false}
          placeholder={EXAMPLE}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event: KeyboardEvent) => event.stopPropagation()}
        />
      </div>
    </div>
  )
}
