/** A payload filter in JSON. */
import { Textarea } from "@mantine/core"
import type { ReactNode } from "react"
import { objectIn } from "../../../words/json.ts"

const EXAMPLE = '{ "amount": { "$gte": "1000000" } }'

interface PayloadFilterInputProps {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly error?: ReactNode
}

export const PayloadFilterInput = ({ value, onChange, error }: PayloadFilterInputProps) => (
  <Textarea
    label="Payload filter"
    description="JSON. Only events whose fields meet all conditions are sent. Empty: every event."
    placeholder={EXAMPLE}
    rows={4}
    resize="vertical"
    spellCheck={false}
    styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error ?? (objectIn(value) === undefined ? `Write a JSON object, such as ${EXAMPLE}.` : undefined)}
  />
)
