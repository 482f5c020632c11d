/** The webhook's own headers. Their values are never shown again, so a change replaces all of them. */
import { Button, TextInput } from "@mantine/core"
import type { ReactNode } from "react"
import { PlainText } from "../../../parts/PlainText.tsx"
import classes from "./HeadersField.module.css"
import type { HeaderValue } from "./values.ts"

const MOST = 20

interface HeadersFieldProps {
  /** Undefined: the headers stay as they are. */
  readonly value: ReadonlyArray<HeaderValue> | undefined
  readonly onChange: (value: ReadonlyArray<HeaderValue> | undefined) => void
  /** Names of the headers that the webhook has. */
  readonly present: ReadonlyArray<string>
  readonly error?: ReactNode
}

export const newHeader = (name = ""): HeaderValue => ({ id: crypto.randomUUID(), name, value: "" })

const Unchanged = ({ onChange, present }: Pick<HeadersFieldProps, "onChange" | "present">) => (
  <>
    <div className="quiet">
      {present.length === 0
        ? "None."
        : "Their values are stored and not shown. To change one, give all again."}
    </div>
    {present.map((name) => (
      <div key={name} className="mono">
        <PlainText>{name}</PlainText>: ***
      </div>
    ))}
    <Button
      size="xs"
      variant="default"
      onClick={() => onChange(present.length === 0 ? [newHeader()] : present.map((name) => newHeader(name)))}
    >
      {present.length === 0 ? "Add a header" : "Replace the headers"}
    </Button>
  </>
)

export const HeadersField = ({ value, onChange, present, error }: HeadersFieldProps) => {
  const change = (id: string, part: Partial<HeaderValue>) =>
    onChange(value?.map((header) => (header.id === id ? { ...header, ...part } : header)))
  return (
    <fieldset className={classes["headers"]}>
      <legend className={classes["title"]}>Headers of your own</legend>
      {value === undefined ? (
        <Unchanged onChange={onChange} present={present} />
      ) : (
        <>
          {value.map((header, at) => (
            <div key={header.id} className={classes["header"]}>
              <TextInput
                size="xs"
                aria-label={`Name of header ${at + 1}`}
                placeholder="X-Tenant"
                value={header.name}
                spellCheck={false}
                onChange={(event) => change(header.id, { name: event.currentTarget.value })}
              />
              <TextInput
                size="xs"
                aria-label={`Value of header ${at + 1}`}
                placeholder="Value"
                value={header.value}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => change(header.id, { value: event.currentTarget.value })}
              />
              <Button
                size="xs"
                variant="default"
                aria-label={`Remove header ${at + 1}`}
                onClick={() => onChange(value.filter(({ id }) => id !== header.id))}
              >
                Remove
              </Button>
            </div>
          ))}
          <div className="row">
            {value.length < MOST && (
              <Button size="xs" variant="default" onClick={() => onChange([...value, newHeader()])}>
                Add a header
              </Button>
            )}
            {present.length > 0 && (
              <Button size="xs" variant="default" onClick={() => onChange(undefined)}>
                Keep the present ones
              </Button>
            )}
          </div>
          {present.length > 0 && (
            <div className="quiet">These replace all {present.length} present headers.</div>
          )}
        </>
      )}
      {error !== undefined && <div className={classes["error"]}>{error}</div>}
    </fieldset>
  )
}
