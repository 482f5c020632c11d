/** The value of a condition, typed as the kind of its field is: XRP, numbers, times, addresses, one or several. */
import { Select, TagsInput, TextInput } from "@mantine/core"
import { useState } from "react"
import { type Field, type Kind, textOf, typedValue, wanted } from "./fields.ts"
import classes from "./filter.module.css"
import { type Condition, type Scalar, takesList, takesNone } from "./tree.ts"

const list = { withScrollArea: false, comboboxProps: { withinPortal: false } } as const

interface ValueInputProps {
  readonly condition: Condition
  readonly kind: Kind
  readonly field: Field | undefined
  readonly label: string
  readonly isFaulty: boolean
  readonly onChange: (value: Condition["value"]) => void
}

const scalarsOf = (value: Condition["value"]): ReadonlyArray<Scalar> =>
  value === undefined ? [] : Array.isArray(value) ? (value as ReadonlyArray<Scalar>) : [value as Scalar]

/** One value. What is typed stays, even if it is none. */
const One = ({ condition, kind, label, isFaulty, onChange }: ValueInputProps) => {
  const [value] = scalarsOf(condition.value)
  const stored = value === undefined ? "" : textOf(kind, value)
  const [typed, setTyped] = useState(stored)
  // The JSON was edited, or the field is another.
  const shown = typedValue(kind, typed) === value ? typed : value === undefined ? typed : stored
  const isWrong = shown.trim() !== "" && typedValue(kind, shown) === undefined
  return (
    <div>
      <TextInput
        aria-label={label}
        type={kind === "time" ? "datetime-local" : "text"}
        spellCheck={false}
        autoComplete="off"
        value={shown}
        error={isFaulty || isWrong}
        rightSection={kind === "drops" ? <span className={classes["unit"]}>XRP</span> : undefined}
        rightSectionWidth={kind === "drops" ? 44 : undefined}
        rightSectionPointerEvents="none"
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          onChange(typedValue(kind, event.currentTarget.value))
        }}
        // Enter would send the whole form.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
      {isWrong && (
        <p className={classes["wrong"]} role="alert">
          {wanted[kind]}
        </p>
      )}
    </div>
  )
}

/** Several values as chips. What is no value is left out. */
const Several = ({ condition, kind, field, label, isFaulty, onChange }: ValueInputProps) => {
  const values = scalarsOf(condition.value).map((one) => textOf(kind, one))
  const change = (texts: ReadonlyArray<string>) =>
    onChange(texts.flatMap((text) => typedValue(kind, text) ?? []))
  return (
    <TagsInput
      {...list}
      aria-label={label}
      error={isFaulty}
      classNames={{ pill: classes["pill"] ?? "", inputField: classes["typed"] ?? "" }}
      splitChars={[",", ";", " "]}
      acceptValueOnBlur
      placeholder={values.length === 0 ? "Enter adds one" : ""}
      data={[...(field?.values ?? [])]}
      value={values}
      onChange={change}
    />
  )
}

export const ValueInput = (props: ValueInputProps) => {
  const { condition, kind, field, label, isFaulty, onChange } = props
  if (takesNone(condition.operator)) return null
  if (takesList(condition.operator)) return <Several {...props} />
  const choices = kind === "boolean" ? ["true", "false"] : kind === "text" ? field?.values : undefined
  if (choices === undefined) return <One key={`${condition.field} ${kind}`} {...props} />
  const [value] = scalarsOf(condition.value)
  return (
    <Select
      {...list}
      aria-label={label}
      allowDeselect={false}
      placeholder="Choose"
      data={[...choices]}
      value={value === undefined ? null : String(value)}
      error={isFaulty}
      onChange={(chosen) => onChange(chosen === null ? undefined : typedValue(kind, chosen))}
    />
  )
}
