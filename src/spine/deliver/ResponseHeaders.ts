/**
 * Which headers of a response are kept. Headers of the connection, `content-length` and `date` are left out: every
 * response has them, and they say nothing about the receiver. A header that is too long for the rest of the budget is
 * left out; shorter ones after it are kept.
 */
import { HIDDEN_VALUE } from "../domain/RequestHeaders.ts"

/** Names are in lower case. A name that occurs several times has an array. */
export type ReceivedHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface HeaderBudget {
  readonly headers: number
  /** Characters of names and values together. */
  readonly characters: number
}

const leftOut = new Set(["connection", "content-length", "date", "keep-alive", "transfer-encoding"])
/** Cookies are the receiver's secrets. */
const masked = new Set(["set-cookie", "set-cookie2"])

/** Null if there are none to keep. */
export const keptHeaders = (
  received: ReceivedHeaders,
  budget: HeaderBudget
): Readonly<Record<string, string>> | null => {
  const kept: Record<string, string> = {}
  let count = 0
  let left = budget.characters
  for (const name in received) {
    if (count === budget.headers) break
    const value = received[name]
    if (value === undefined || leftOut.has(name)) continue
    const text = masked.has(name) ? HIDDEN_VALUE : typeof value === "string" ? value : value.join(", ")
    const size = name.length + text.length
    if (size > left) continue
    kept[name] = text
    count++
    left -= size
  }
  return count === 0 ? null : kept
}
