/**
 * Why a connection to a ledger server failed or ended, as one plain sentence with the cause, for logs, `/readyz` and
 * `doctor`. It never shows the raw text of Node or OpenSSL, which names source files. Only a text that speaks of a
 * limit counts as one, because a server that limits us is left alone for a while. Pure.
 */

import { failureCode, failureText, isUntrusted, opensslReason } from "../../domain/ConnectionFailure.ts"
import { seconds } from "../../words/Words.ts"
import { ledgerLimits } from "../Limits.ts"
import { endsConnection } from "./LedgerSource.ts"
import { ERROR_CHARACTERS, type Refusal, refusalOf, shown } from "./ServerMessages.ts"

/** The time over which `ledgerUnaskedBytes` are counted. An announcement has 0.4 kB and comes every 3 to 5 s. */
export const UNASKED_WINDOW_MS = 10_000

const LIMITING = /overload|slow ?down|too (busy|many)|threshold exceeded|\brate\b|rate.?limit|throttl|quota/i

/** Only the beginning of a text is searched: it may have 32 MB. */
const speaksOfLimit = (text: string): boolean => LIMITING.test(text.slice(0, ERROR_CHARACTERS))

const lost = (detail: string): Refusal => ({ reason: "disconnected", detail })
/** It sent what no sound server sends. */
const misbehaving = (detail: string): Refusal => ({ reason: "misbehaving", detail })

export const tooComplex = misbehaving(
  `sent a message with more than ${ledgerLimits.ledgerMessageTokens} brackets, commas and colons, or more than ${ledgerLimits.ledgerMessageDepth} nested brackets`
)
export const tooMuchUnasked = misbehaving(
  `sent more than ${ledgerLimits.ledgerUnaskedBytes} bytes that answer no request within ${seconds(UNASKED_WINDOW_MS)}`
)

/** Codes of `ws`. It refuses a message of more than `ledgerMessageBytes` with the first one. */
const TOO_LONG = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"
const WS_CODE = /^WS_ERR_/
/** Codes of Node's HTTP parser. */
const NOT_HTTP = /^HPE_/
/** OpenSSL's reasons when the bytes that it reads are no TLS. */
const NO_TLS = /wrong version number|packet length too long|http request|unknown protocol/

/** The answer to the handshake is an HTTP response: of a proxy, or of a server that has no WebSocket there. */
const answeredWith = (status: number): Refusal => {
  if (status === 429 || status === 503)
    return { reason: "rate_limited", detail: `limits requests (HTTP ${status})` }
  if (status === 401 || status === 403) return lost(`refuses access (HTTP ${status})`)
  if (status >= 300 && status < 400)
    return lost(`redirects to another address (HTTP ${status}), which is not followed`)
  return lost(`answered with HTTP ${status} instead of a WebSocket`)
}

const tlsFault = (code: string, message: string): string => {
  const reason = opensslReason(message)
  if (reason !== undefined && NO_TLS.test(reason))
    return "TLS: this port does not speak TLS; use ws://, or the server's port with TLS"
  const text = failureText(code)
  if (isUntrusted(code)) return `${text}; to trust it, name its authority's file in NODE_EXTRA_CA_CERTS`
  return reason === undefined ? text : `${text} (${shown(reason)})`
}

/** From the socket's error. `secure`: whether the address begins with wss. */
export const failureOf = (cause: Error, secure: boolean): Refusal => {
  const code = failureCode(cause)
  const status = /^Unexpected server response: (\d{3})$/.exec(cause.message)?.[1]
  if (status !== undefined) return answeredWith(Number(status))
  if (code === TOO_LONG)
    return misbehaving(`sent a message of more than ${ledgerLimits.ledgerMessageBytes} bytes`)
  // The texts of `ws` itself are plain, and only they have no code.
  if (code === undefined) return lost(`broke the WebSocket protocol: ${shown(cause.message)}`)
  if (WS_CODE.test(code)) return misbehaving(`broke the WebSocket protocol: ${shown(cause.message)}`)
  if (/before secure TLS connection/.test(cause.message))
    return lost("closed the connection during the TLS handshake")
  const mayNeedTls = secure ? "" : "; if this port speaks TLS, use wss://"
  if (NOT_HTTP.test(code)) return lost(`sent an answer that is not HTTP${mayNeedTls}`)
  if (cause.message === "socket hang up") return lost(`closed the connection without an answer${mayNeedTls}`)
  const text = failureText(code)
  return lost(text.startsWith("TLS:") ? tlsFault(code, cause.message) : text)
}

/** For a message that answers no request: an error without an id, or text that is not JSON (a proxy's error page). */
export const interjectionOf = (code: unknown, message: unknown, text: string | undefined): Refusal => {
  if (text !== undefined) {
    const detail = `sent text that is not a JSON answer: ${shown(text)}`
    return speaksOfLimit(text) ? { reason: "rate_limited", detail } : misbehaving(detail)
  }
  const refusal = refusalOf(code, message)
  return endsConnection(refusal.reason) ? refusal : { ...refusal, reason: "disconnected" }
}

/** WebSocket close codes that stand for a connection which ended without one. */
const NO_CODE = [1005, 1006]

/** `reason`: the text of the server's close frame, often empty. */
export const closeOf = (code: number, reason: string): Refusal => ({
  reason: speaksOfLimit(reason) ? "rate_limited" : "disconnected",
  detail: `closed the connection${NO_CODE.includes(code) ? "" : ` (${code})`}${reason === "" ? "" : `: ${shown(reason)}`}`
})
