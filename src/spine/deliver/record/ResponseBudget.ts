/**
 * How much of the responses of an account's receivers is stored. Within a UTC day the first `bytes` of long responses
 * are stored as they are read. After that a body is cut to `shortCharacters`, with a note, and fewer headers are kept.
 * Short responses cost nothing and never change. Each process that delivers counts for itself, from its start.
 */

import type { AttemptRecord } from "../../deliveries/Transitions.ts"
import type { AccountId } from "../../words/Ids.ts"
import { responseLimits } from "../Limits.ts"
import { keptHeaders } from "../ResponseHeaders.ts"

const DAY_MS = 86_400_000

export interface ResponseLimits {
  readonly bytes: number
  readonly shortCharacters: number
}

const noteOf = (characters: number) =>
  `… [cut at ${characters} characters: the long responses that the service keeps for an account each day are used up]`

const charactersOf = (headers: Readonly<Record<string, string>> | null | undefined): number =>
  Object.entries(headers ?? {}).reduce((sum, [name, value]) => sum + name.length + value.length, 0)

export const makeResponseBudget = ({ bytes, shortCharacters }: ResponseLimits) => {
  /** Bytes by account. An account without long responses has no entry. */
  const used = new Map<string, number>()
  let day = 0

  const shortened = (attempt: AttemptRecord): AttemptRecord => {
    const { details, responseBody } = attempt
    return {
      ...attempt,
      responseBody:
        responseBody === null || responseBody.length <= shortCharacters
          ? responseBody
          : responseBody.slice(0, shortCharacters) + noteOf(shortCharacters),
      ...(details?.responseHeaders == null
        ? undefined
        : {
            details: {
              ...details,
              responseHeaders: keptHeaders(details.responseHeaders, responseLimits.deliveredHeaders)
            }
          })
    }
  }

  /** Returns the attempt as it is to be stored. */
  return (accountId: AccountId, attempt: AttemptRecord): AttemptRecord => {
    const today = Math.floor(attempt.endedAt / DAY_MS)
    if (today !== day) used.clear()
    day = today
    const body = attempt.responseBody ?? ""
    // Of a success, no more headers are kept anyway (Exchange.ts). Most attempts end here.
    if (body.length <= shortCharacters && attempt.status === "delivered") return attempt
    const headers = charactersOf(attempt.details?.responseHeaders)
    if (body.length <= shortCharacters && headers <= responseLimits.deliveredHeaders.characters)
      return attempt
    const total = (used.get(accountId) ?? 0) + Buffer.byteLength(body) + headers
    if (total > bytes) return shortened(attempt)
    used.set(accountId, total)
    return attempt
  }
}
