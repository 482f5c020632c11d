/** The webhook's own headers. Their values are never shown again, so a change replaces all of them. */
import { ActionIcon, Button, TextInput } from "@mantine/core"
import { IconPlus, IconX } from "@tabler/icons-react"
import type { Fault } from "../../../api/call.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { FaultLine } from "./FormSection.tsx"
import classes from "./form.module.css"
import type { HeaderValue } from "./values.ts"

const MOST = 20

interface HeadersFieldProps {
  /** Undefined: the headers stay as they are. */
  readonly value: ReadonlyArray<HeaderValue> | undefined
  readonly onChange: (value: ReadonlyArray<HeaderValue> | undefined) => void
  /** Names of the headers that the webhook has. */
  readonly present: ReadonlyArray<string>
  readonly faults: ReadonlyArray<Fault>
}

let last = 0
export const newHeader = (name = ""): HeaderValue => ({ id: String(++last), name, value: "" })

const AddButton = ({ onClick }: { readonly onClick: () => void }) => (
  <Button
    size="xs"
    variant="subtle"
    color="gray"
    leftSection={<IconPlus size={16} aria-hidden />}
    onClick={onClick}
  >
    Header
  </Button>
)

const Unchanged = ({ onChange, present }: Pick<HeadersFieldProps, "onChange" | "present">) =>
  present.length === 0 ? (
    <div className={classes["add"]}>
      <AddButton onClick={() => onChange([newHeader()])} />
    </div>
  ) : (
    <>
      <div className="quiet">
        {present.map((name) => (
          <div key={name} className="mono">
            <PlainText>{name}</PlainText>: ***
          </div>
        ))}
        Their values are stored and not shown. To change one, give all again.
      </div>
      <div>
        <Button size="xs" variant="default" onClick={() => onChange(present.map((name) => newHeader(name)))}>
          Replace the headers
        </Button>
      </div>
    </>
  )

export const HeadersField = ({ value, onChange, present, faults }: HeadersFieldProps) => {
  const change = (id: string, part: Partial<HeaderValue>) =>
    onChange(value?.map((header) => (header.id === id ? { ...header, ...part } : header)))
  if (value === undefined) return <Unchanged onChange={onChange} present={present} />
  return (
    <div>
      {value.map((header, at) => (
        <div key={header.id} className={classes["header"]}>
          <TextInput
            className={classes["mono"]}
            aria-label={`Name of header ${at + 1}`}
            placeholder="X-Tenant"
            value={header.name}
            error={faults.length > 0}
            spellCheck={false}
            onChange={(event) => change(header.id, { name: event.currentTarget.value })}
          />
          <TextInput
            className={classes["mono"]}
            aria-label={`Value of header ${at + 1}`}
            placeholder="Value"
            value={header.value}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change(header.id, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Remove header ${at + 1}`}
            onClick={() => onChange(value.filter(({ id }) => id !== header.id))}
          >
            <IconX size={14} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <FaultLine faults={faults} />
      <div className={`row ${classes["add"]}`}>
        {value.length < MOST && <AddButton onClick={() => onChange([...value, newHeader()])} />}
        {present.length > 0 && (
          <Button size="xs" variant="default" onClick={() => onChange(undefined)}>
            Keep the present ones
          </Button>
        )}
      </div>
      {present.length > 0 && <div className="note">These replace the {present.length} present headers.</div>}
    </div>
  )
}
