/** Chooses event types: all, whole families, or single types. */
import { Checkbox, TextInput } from "@mantine/core"
import { type ReactNode, useState } from "react"
import type { EventType } from "../../../parts/eventTypes.ts"
import { plural } from "../../../parts/format.ts"
import * as patterns from "./patterns.ts"
import classes from "./TypeTree.module.css"

interface TypeTreeProps {
  readonly value: patterns.Patterns
  readonly onChange: (value: patterns.Patterns) => void
  readonly error?: ReactNode
}

/** `nft.offer_created` as "offer created": the family stands above it. */
const shortName = (type: EventType): string => type.slice(type.indexOf(".") + 1).replaceAll("_", " ")

const FamilyBox = ({ family, shown, value, onChange }: TypeTreeProps & patterns.Found) => {
  const name = family.pattern.slice(0, family.pattern.indexOf("."))
  const state = patterns.familyState(value, family)
  return (
    <fieldset className={classes["family"]}>
      <legend className={classes["legend"]}>{name}</legend>
      <Checkbox
        label={family.pattern}
        checked={state === "all"}
        indeterminate={state === "some"}
        onChange={() => onChange(patterns.toggleFamily(value, family))}
        styles={{ label: { fontWeight: 600 } }}
      />
      {shown.map((type) => (
        <Checkbox
          key={type}
          className={classes["type"]}
          size="xs"
          label={shortName(type)}
          aria-label={type}
          checked={patterns.asksFor(value, type)}
          onChange={() => onChange(patterns.toggleType(value, type))}
        />
      ))}
    </fieldset>
  )
}

export const TypeTree = ({ value, onChange, error }: TypeTreeProps) => {
  const [text, setText] = useState("")
  const found = patterns.search(text)
  return (
    <fieldset className={classes["tree"]}>
      <legend className={classes["title"]}>Event types</legend>
      <div className={classes["head"]}>
        <Checkbox
          label="All event types, also those of later versions"
          checked={value.includes("*")}
          onChange={() => onChange(patterns.toggleAll(value))}
        />
        <TextInput
          size="xs"
          aria-label="Search event types"
          placeholder="Search, such as offer"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          // Enter would send the whole form.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      </div>
      <div className={classes["families"]}>
        {found.map((one) => (
          <FamilyBox key={one.family.pattern} {...one} value={value} onChange={onChange} />
        ))}
        {found.length === 0 && <span className="quiet">No event type has this in its name.</span>}
      </div>
      <div role="status" className={error === undefined ? "quiet" : classes["error"]}>
        {error ??
          (value.length === 0
            ? "None chosen."
            : `${plural(patterns.covered(value), "type")}: ${value.join(", ")}`)}
      </div>
    </fieldset>
  )
}
