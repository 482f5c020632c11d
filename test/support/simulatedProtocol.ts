/**
 * Answers requests as rippled does over WebSocket: `ledger`, `subscribe`, `unsubscribe`, `server_info`, `ping`, and
 * errors for everything else. The code is pure except for each connection's subscription.
 */
import type { Json, JsonObject } from "../../src/domain/Ledger.ts"
import { isJsonObject } from "../../src/domain/NormaliseLedger.ts"
import type { ClosedLedger } from "../../src/simulator/Chain.ts"
import {
  type ApiVersion,
  binaryLedgerResult,
  type ChainStatus,
  FEES,
  type LedgerRequest,
  ledgerResult,
  openLedgerResult,
  subscribedResult
} from "./ledgerAnswers.ts"

/** The rippled release that the answers imitate. */
const BUILD_VERSION = "3.1.0"
const DROPS_PER_XRP = 1_000_000

const errors = {
  invalidParams: { error_code: 31, error_message: "Invalid parameters." },
  lgrNotFound: { error_code: 21, error_message: "ledgerNotFound" },
  malformedStream: { error_code: 55, error_message: "Stream malformed." },
  notSupported: { error_code: 75, error_message: "Operation not supported." },
  unknownCmd: { error_code: 32, error_message: "Unknown method." }
} as const

type Outcome =
  | { readonly result: JsonObject }
  | {
      readonly error: keyof typeof errors | "missingCommand" | "invalid_API_version"
      readonly message?: string
    }

/** The state of the connection that asks: whether it has subscribed to closed ledgers. */
export interface Subscription {
  ledger: boolean
}

/** The ledgers that the server has: every ledger since its first. */
export interface ClosedLedgers {
  readonly head: () => ClosedLedger
  readonly firstIndex: number
  readonly byIndex: (ledgerIndex: number) => ClosedLedger | undefined
  readonly byHash: (ledgerHash: string) => ClosedLedger | undefined
}

export interface Answering {
  readonly ledgers: ClosedLedgers
  readonly networkId: number
  /** The current time in Ripple seconds, and the server's uptime. */
  readonly clock: () => { readonly rippleTime: number; readonly uptimeSeconds: number }
}

export const statusOf = ({ ledgers, networkId }: Pick<Answering, "ledgers" | "networkId">): ChainStatus => {
  const first = ledgers.firstIndex
  const last = ledgers.head().header.ledger_index
  return { networkId, validatedLedgers: first === last ? `${last}` : `${first}-${last}` }
}

const ledger = ({ ledgers }: Answering, request: JsonObject, version: ApiVersion): Outcome => {
  // Version 1 has other field names; clients request this form only for ledgers with their transactions.
  const isBinary = request["binary"] === true
  if (isBinary && !(version === 2 && request["transactions"] === true && request["expand"] === true))
    return { error: "notSupported" }
  const shape: LedgerRequest = {
    version,
    transactions: request["transactions"] === true,
    expand: request["expand"] === true
  }
  const head = ledgers.head()
  const wanted = request["ledger_index"] ?? "current"
  const byHash = request["ledger_hash"]
  const index = typeof byHash === "string" ? ledgers.byHash(byHash)?.header.ledger_index : wanted
  const resultOf = (found: ClosedLedger) =>
    isBinary ? binaryLedgerResult(found) : ledgerResult(found, shape)
  if (index === "validated" || index === "closed") return { result: resultOf(head) }
  if (index === "current" || index === head.header.ledger_index + 1)
    return { result: openLedgerResult(head.header, shape) }
  if (index === undefined) return { error: "lgrNotFound" }
  if (typeof index !== "number") return { error: "invalidParams", message: "ledgerIndexMalformed" }
  const found = ledgers.byIndex(index)
  return found === undefined ? { error: "lgrNotFound" } : { result: resultOf(found) }
}

const streamsOf = (request: JsonObject): ReadonlyArray<Json> | undefined => {
  const streams = request["streams"]
  return Array.isArray(streams) ? streams : undefined
}

const subscribe = (answering: Answering, request: JsonObject, subscription: Subscription): Outcome => {
  const streams = streamsOf(request)
  if (streams === undefined) return { error: "invalidParams" }
  if (streams.some((stream) => stream !== "ledger")) return { error: "malformedStream" }
  subscription.ledger = true
  return { result: subscribedResult(answering.ledgers.head(), statusOf(answering)) }
}

const unsubscribe = (request: JsonObject, subscription: Subscription): Outcome => {
  if (streamsOf(request)?.includes("ledger") === true) subscription.ledger = false
  return { result: {} }
}

const serverInfo = (answering: Answering): Outcome => {
  const { header } = answering.ledgers.head()
  const { networkId, validatedLedgers } = statusOf(answering)
  const { rippleTime, uptimeSeconds } = answering.clock()
  return {
    result: {
      info: {
        build_version: BUILD_VERSION,
        complete_ledgers: validatedLedgers,
        hostid: "SIMULATED",
        load_factor: 1,
        network_id: networkId,
        peers: 0,
        server_state: "full",
        uptime: uptimeSeconds,
        validated_ledger: {
          age: Math.max(0, rippleTime - header.close_time),
          base_fee_xrp: FEES.fee_base / DROPS_PER_XRP,
          hash: header.ledger_hash,
          reserve_base_xrp: FEES.reserve_base / DROPS_PER_XRP,
          reserve_inc_xrp: FEES.reserve_inc / DROPS_PER_XRP,
          seq: header.ledger_index
        },
        validation_quorum: 1
      }
    }
  }
}

const outcomeOf = (answering: Answering, request: JsonObject, subscription: Subscription): Outcome => {
  const version = request["api_version"] ?? 1
  if (version !== 1 && version !== 2) return { error: "invalid_API_version" }
  switch (request["command"]) {
    case undefined:
      return { error: "missingCommand" }
    case "ledger":
      return ledger(answering, request, version)
    case "subscribe":
      return subscribe(answering, request, subscription)
    case "unsubscribe":
      return unsubscribe(request, subscription)
    case "server_info":
      return serverInfo(answering)
    case "ping":
      return { result: {} }
    default:
      return { error: "unknownCmd" }
  }
}

const known = (error: string): error is keyof typeof errors => Object.hasOwn(errors, error)

/** The complete answer to one message. */
export const answer = (answering: Answering, request: JsonObject, subscription: Subscription): JsonObject => {
  const outcome = outcomeOf(answering, request, subscription)
  const echoed: JsonObject = {
    ...(request["api_version"] !== undefined && { api_version: request["api_version"] }),
    ...(request["id"] !== undefined && { id: request["id"] })
  }
  if ("result" in outcome) return { ...echoed, result: outcome.result, status: "success", type: "response" }
  const { error, message } = outcome
  const details = known(error) ? errors[error] : {}
  const said: JsonObject = message === undefined ? {} : { error_message: message }
  return { ...echoed, error, ...details, ...said, request, status: "error", type: "response" }
}

/** A message that is not a JSON object is answered with itself. */
export const malformedAnswer = (text: string): JsonObject => ({
  error: "jsonInvalid",
  type: "error",
  value: text
})

export const parseRequest = (text: string): JsonObject | undefined => {
  try {
    const parsed: unknown = JSON.parse(text)
    return isJsonObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
