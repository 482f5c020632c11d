/**
 * Reads the messages of a rippled or Clio server: announcements, ledgers, errors, and whether the
 * server belongs to its network. Pure. A field of the wrong type counts as absent.
 */
import { Result } from "effect"
import type { JsonObject } from "../../event/Ledger.ts"
import { type Network, networkIds } from "../../event/Network.ts"
import { isJsonObject, normaliseLedger } from "../../event/NormaliseLedger.ts"
import { printable } from "../../words/Printable.ts"
import type {
  Announcement,
  FetchedLedger,
  LedgerPart,
  LedgerSourceError,
  TakenLedger
} from "./LedgerSource.ts"
import { parseRanges, type Ranges } from "./Ranges.ts"

/** Characters of a server's error text that are kept. */
export const ERROR_CHARACTERS = 300

type Reason = LedgerSourceError["reason"]

export interface Refusal {
  readonly reason: Reason
  readonly detail: string
}

const LEDGER_INDEX_MAX = 4_294_967_295
const HASH = /^[0-9A-Fa-f]{64}$/
/** Id of the warning of a server whose software is too old for an enabled amendment. */
const AMENDMENT_BLOCKED_WARNING = 1002

const refusals: Readonly<Record<string, Reason>> = {
  lgrNotFound: "not_found",
  ledgerNotFound: "not_found",
  notSynced: "not_synced",
  noNetwork: "not_synced",
  noCurrent: "not_synced",
  noClosed: "not_synced",
  slowDown: "rate_limited",
  tooBusy: "rate_limited",
  amendmentBlocked: "amendment_blocked"
}

/** Text of a server, made safe for logs and terminals. */
export const shown = (said: unknown): string =>
  typeof said === "string"
    ? printable(said, ERROR_CHARACTERS)
    : typeof said === "number"
      ? String(said)
      : "a value that is not text"

/** `code`: the server's own error code, such as `lgrNotFound`. */
export const refusalOf = (code: unknown, message: unknown): Refusal => {
  const known = typeof code === "string" && Object.hasOwn(refusals, code) ? refusals[code] : undefined
  return {
    reason: known ?? "malformed",
    detail: `answered ${shown(code)}${typeof message === "string" ? `: ${shown(message)}` : ""}`
  }
}

/** A `ledgerClosed` message, the reply to the subscription, or a `ledger` answer. */
export const announcementOf = (message: unknown): Announcement | undefined => {
  if (!isJsonObject(message)) return undefined
  const { ledger_index: index, ledger_hash: hash, txn_count: count } = message
  if (typeof index !== "number" || !Number.isInteger(index) || index < 1 || index > LEDGER_INDEX_MAX)
    return undefined
  return {
    ledgerIndex: index,
    ledgerHash: typeof hash === "string" && HASH.test(hash) ? hash.toUpperCase() : undefined,
    transactionCount: typeof count === "number" && Number.isInteger(count) && count >= 0 ? count : undefined
  }
}

/** The ledger ranges in a `ledgerClosed` message, a subscription's reply or the info of `server_info`. */
export const rangesOf = (message: unknown): Ranges | undefined =>
  isJsonObject(message) ? parseRanges(message["validated_ledgers"] ?? message["complete_ledgers"]) : undefined

/** Whether the server answered, but warned that it is close to limiting us. */
export const isLoaded = (answer: unknown): boolean => isJsonObject(answer) && answer["warning"] === "load"

/**
 * Compares the server's answer for the last taken ledger with our hash. Undefined: the answer does not contradict it.
 */
export const contradiction = (answer: unknown, taken: TakenLedger): Refusal | undefined => {
  const result = resultOf(answer)
  const said = announcementOf(result)
  if (result?.["validated"] !== true || said?.ledgerIndex !== taken.ledgerIndex) return undefined
  return otherChain(said, taken.ledgerHash)
}

/** The same for an announcement. `takenHash`: the hash with which we took that ledger. */
export const otherChain = (
  { ledgerHash, ledgerIndex }: Announcement,
  takenHash: string | undefined
): Refusal | undefined =>
  takenHash === undefined || ledgerHash === undefined || ledgerHash === takenHash
    ? undefined
    : {
        reason: "other_chain",
        detail: `its ledger ${ledgerIndex} has the hash ${ledgerHash}, but ${takenHash} was taken: the server is on another chain, or the network was reset`
      }

/** The `result` of an answer; undefined when there is none. */
export const resultOf = (answer: unknown): JsonObject | undefined =>
  isJsonObject(answer) && isJsonObject(answer["result"]) ? answer["result"] : undefined

/** The answer to a request for a header lists no transactions. */
const withoutList = (answer: unknown): unknown => {
  const result = resultOf(answer)
  const ledger = result?.["ledger"]
  return isJsonObject(answer) && isJsonObject(ledger)
    ? { ...answer, result: { ...result, ledger: { ...ledger, transactions: [] } } }
    : answer
}

export const ledgerOf = (
  server: string,
  answer: unknown,
  part: LedgerPart = "whole"
): FetchedLedger | undefined => {
  const result = resultOf(answer)
  const normalised =
    result === undefined ? undefined : normaliseLedger(part === "header" ? withoutList(answer) : answer)
  return normalised === undefined
    ? undefined
    : {
        server,
        validated: result?.["validated"] === true && normalised.notFinal === undefined,
        ledger: normalised.ledger,
        malformed: normalised.malformed,
        transactionHash: normalised.transactionHash
      }
}

const cannotFollow = (answer: unknown): boolean => {
  const warnings = isJsonObject(answer) ? answer["warnings"] : undefined
  return (
    Array.isArray(warnings) &&
    warnings.some((warning) => isJsonObject(warning) && warning["id"] === AMENDMENT_BLOCKED_WARNING)
  )
}

const BLOCKED: Refusal = {
  reason: "amendment_blocked",
  detail: "cannot follow the network: it is amendment blocked"
}

/** Fails if the server refused the request or is amendment blocked. */
export const answered = (message: JsonObject): Result.Result<JsonObject, Refusal> => {
  const { error, error_message: detail } = message
  if (error !== undefined) return Result.fail(refusalOf(error, detail))
  return cannotFollow(message) ? Result.fail(BLOCKED) : Result.succeed(message)
}

/** Why the server that sent this `server_info` answer must not be used for the network. Undefined: it may be used. */
export const unfit = (network: Network, answer: unknown): Refusal | undefined => {
  const info = resultOf(answer)?.["info"]
  if (!isJsonObject(info)) return { reason: "malformed", detail: "its server_info answer has no info" }
  const id = info["network_id"]
  if (id !== undefined && id !== networkIds[network])
    return {
      reason: "wrong_network",
      detail: `its network_id is ${shown(id)}, but ${network} has ${networkIds[network]}`
    }
  return info["amendment_blocked"] === true ? BLOCKED : undefined
}
