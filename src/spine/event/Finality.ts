/**
 * Whether an object of the XRP Ledger's API says that it is not final (docs/detection-rules.md 4.1). An object without
 * a flag says nothing: recorded transactions often have none. A flag with any value but `true` counts as a no: "false"
 * and 0 mean no, and what else means is not for us to guess. Pure.
 */

import { printable } from "../words/Printable.ts"
import type { Json, JsonObject } from "./Ledger.ts"

/** `applied` belongs to `simulate` and `submit`, `closed` and `accepted` to ledgers. */
const flags = ["validated", "applied", "closed", "accepted"] as const

const VALUE_LENGTH = 40

const because = (field: string, value: Json, accepted: string): string =>
  `"${field}" is ${printable(JSON.stringify(value), VALUE_LENGTH)}, so this is not final; it must be ${accepted}`

/** The reason as text. Undefined: the object is absent or does not say so. */
export const reasonNotFinal = (part: JsonObject | undefined): string | undefined => {
  if (part === undefined) return undefined
  // Messages about proposed transactions, and answers about the open ledger.
  if (part["status"] === "proposed") return because("status", part["status"], '"closed" or absent')
  const open = part["ledger_current_index"] ?? null
  if (open !== null) return because("ledger_current_index", open, "absent")
  for (const flag of flags) {
    const value = part[flag] ?? true
    if (value !== true) return because(flag, value, "true or absent")
  }
  return undefined
}
