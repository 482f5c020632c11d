/** Chooses event types: all, whole families, or single types. With counts, each shows how many events it had in a day. */
import { Checkbox, TextInput } from "@mantine/core"
import { IconChevronDown, IconChevronRight, IconSearch } from "@tabler/icons-react"
import { type ReactNode, useState } from "react"
import { eventTypes, families } from "../../../words/eventTypes.ts"
import { count } from "../../../words/format.ts"
import * as patterns from "../../../words/patterns.ts"
import classes from "./TypeTree.module.css"

export type Counts = Readonly<Record<string, number>>

interface TypeTreeProps {
  readonly value: patterns.Patterns
  readonly onChange: (value: patterns.Patterns) => void
  readonly error?: ReactNode
  /** The events of the last 24 hours by type. Undefined: not known. */
  readonly counts?: Counts | undefined
  /** At the right of the search. */
  readonly note?: ReactNode
}

const names: Readonly<Record<string, string>> = {
  "payment.*": "Payments",
  "dex.*": "DEX offers",
  "nft.*": "NFTs",
  "trustline.*": "Trust lines",
  "account.*": "Accounts",
  "escrow.*": "Escrows",
  "check.*": "Checks"
}

interface RowProps {
  readonly box: ReactNode
  readonly isChosen: boolean
  readonly isType?: boolean
  /** Undefined: not known. */
  readonly events: number | undefined
  readonly most: number
}

const Row = ({ box, isChosen, isType, events, most }: RowProps) => (
  <div className={classes["row"]} data-chosen={isChosen || undefined} data-type={isType || undefined}>
    <span className={classes["box"]}>{box}</span>
    {events !== undefined && (
      <>
        <span className={classes["track"]} aria-hidden>
          <i style={{ width: `${most === 0 ? 0 : (100 * events) / most}%` }} />
        </span>
        <span className={classes["count"]}>{count(events)}</span>
      </>
    )}
  </div>
)

interface FamilyProps extends TypeTreeProps {
  readonly found: patterns.Found
  readonly most: number
  readonly isOpen: boolean
  readonly onToggle: () => void
}

const FamilyRows = ({ found, value, onChange, counts, most, isOpen, onToggle }: FamilyProps) => {
  const { family, shown } = found
  const state = patterns.familyState(value, family)
  const chosen = family.types.filter((type) => patterns.asksFor(value, type)).length
  const name = names[family.pattern] ?? family.pattern
  const eventsOf = (types: ReadonlyArray<string>) =>
    counts && types.reduce((sum, type) => sum + (counts[type] ?? 0), 0)
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <>
      <Row
        isChosen={state !== "none"}
        events={eventsOf(family.types)}
        most={most}
        box={
          <>
            <button
              type="button"
              className={classes["toggle"]}
              aria-expanded={isOpen}
              aria-label={`Types of ${name}`}
              onClick={onToggle}
            >
              <Chevron size={14} aria-hidden />
            </button>
            <Checkbox
              size="xs"
              aria-label={`${name} (${family.pattern})`}
              checked={state === "all"}
              indeterminate={state === "some"}
              onChange={() => onChange(patterns.toggleFamily(value, family))}
              label={
                <span className={classes["family"]}>
                  <i style={{ background: `var(--f-${family.pattern.slice(0, -2)}, var(--idle))` }} />
                  <b>{name}</b>
                  <span>
                    {chosen === 0 ? "none" : count(chosen)} of {family.types.length}
                  </span>
                </span>
              }
            />
          </>
        }
      />
      {isOpen &&
        shown.map((type) => (
          <Row
            key={type}
            isType
            isChosen={patterns.asksFor(value, type)}
            events={eventsOf([type])}
            most={most}
            box={
              <Checkbox
                size="xs"
                label={type}
                checked={patterns.asksFor(value, type)}
                onChange={() => onChange(patterns.toggleType(value, type))}
              />
            }
          />
        ))}
    </>
  )
}

/** Families of which single types are chosen. */
const partly = (value: patterns.Patterns): ReadonlySet<string> =>
  new Set(
    families.filter((family) => patterns.familyState(value, family) === "some").map(({ pattern }) => pattern)
  )

export const TypeTree = (props: TypeTreeProps) => {
  const { value, onChange, error, counts, note } = props
  const [text, setText] = useState("")
  const [open, setOpen] = useState(() => partly(value))
  const found = patterns.search(text)
  const all = counts && eventTypes.reduce((sum, type) => sum + (counts[type] ?? 0), 0)
  const most = Math.max(
    ...families.map(({ types }) => types.reduce((sum, type) => sum + (counts?.[type] ?? 0), 0))
  )
  const toggle = (pattern: string) =>
    setOpen((before) => {
      const next = new Set(before)
      return next.delete(pattern) ? next : next.add(pattern)
    })
  const chosen = patterns.covered(value)
  return (
    <fieldset className={classes["tree"]} data-faulty={error !== undefined || undefined}>
      <legend className={classes["title"]}>Event types</legend>
      <div className={classes["head"]}>
        <TextInput
          aria-label="Search event types"
          placeholder={`Search ${eventTypes.length} types`}
          leftSection={<IconSearch size={14} aria-hidden />}
          className={classes["search"]}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          // Enter would send the whole form.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
        {note && <span className="note">{note}</span>}
      </div>
      <div className={classes["rows"]}>
        {text === "" && (
          <Row
            isChosen={value.includes("*")}
            events={all}
            most={all ?? 0}
            box={
              <Checkbox
                size="xs"
                className={classes["all"]}
                label={<b>All event types</b>}
                checked={value.includes("*")}
                indeterminate={chosen > 0 && !value.includes("*")}
                onChange={() => onChange(patterns.toggleAll(value))}
              />
            }
          />
        )}
        {found.map((one) => (
          <FamilyRows
            key={one.family.pattern}
            {...props}
            found={one}
            most={most}
            isOpen={text !== "" || open.has(one.family.pattern)}
            onToggle={() => toggle(one.family.pattern)}
          />
        ))}
        {found.length === 0 && <p className="quiet">No event type has this in its name.</p>}
      </div>
      <p role="status" className={error === undefined ? classes["chosen"] : classes["error"]}>
        {error ??
          (chosen === 0 ? (
            "None chosen."
          ) : (
            <>
              {chosen} of {eventTypes.length} types: <span className="mono">{value.join(", ")}</span>
            </>
          ))}
      </p>
    </fieldset>
  )
}
