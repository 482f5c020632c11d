/** Takes many pasted addresses, and says how many it understood. */
import { Textarea } from "@mantine/core"
import type { ReactNode } from "react"
import { addressesIn } from "../../words/addresses.ts"
import { plural } from "../../words/format.ts"
import { visible } from "../../words/visible.ts"

/** Wrong words that are named. */
const NAMED = 5

const saysOf = (text: string): string => {
  const { addresses, duplicates } = addressesIn(text)
  const dropped = duplicates === 0 ? "" : `, ${plural(duplicates, "duplicate")} dropped`
  return `${plural(addresses.length, "address", "addresses")}${dropped}.`
}

/** Undefined if all words are addresses. */
const addressProblem = (text: string): string | undefined => {
  const { wrong } = addressesIn(text)
  if (wrong.length === 0) return undefined
  const named = wrong
    .slice(0, NAMED)
    .map((word) => visible(word.slice(0, 60)))
    .join(", ")
  const more = wrong.length > NAMED ? ` and ${wrong.length - NAMED} more` : ""
  return `Not an address: ${named}${more}. A classic address begins with r.`
}

interface AddressesFieldProps {
  readonly label: string
  readonly description: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly error?: ReactNode
}

export const AddressesField = ({ label, description, value, onChange, error }: AddressesFieldProps) => (
  <div>
    <Textarea
      label={label}
      description={description}
      placeholder="Paste addresses, such as rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
      rows={3}
      resize="vertical"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error ?? addressProblem(value)}
    />
    <div className="quiet" role="status" style={{ fontSize: "0.8rem" }}>
      {value.trim() === "" ? "" : saysOf(value)}
    </div>
  </div>
)
