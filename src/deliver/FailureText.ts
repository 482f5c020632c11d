/**
 * Texts for `last_error`: short and stable, because people and alerts match them. Error codes come from Node, c-ares,
 * OpenSSL and undici. For an unknown code the text contains the code, not the message, which may change.
 */
import { Predicate } from "effect"
import { errors } from "undici"

const INVALID_RESPONSE = "invalid response"
export const HEADERS_TOO_LARGE = "response headers too large"

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  UND_ERR_SOCKET: "connection reset",
  ETIMEDOUT: "connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  EADDRNOTAVAIL: "network unreachable",
  ENOTFOUND: "DNS: host not found",
  ENODATA: "DNS: host not found",
  EAI_AGAIN: "DNS: lookup failed",
  ETIMEOUT: "DNS: lookup failed",
  ESERVFAIL: "DNS: lookup failed",
  EREFUSED: "DNS: lookup failed",
  EBADNAME: "DNS: host not found",
  ADDRESS_NOT_ALLOWED: "address not allowed",
  CERT_HAS_EXPIRED: "TLS: certificate has expired",
  CERT_NOT_YET_VALID: "TLS: certificate is not yet valid",
  CERT_REVOKED: "TLS: certificate is revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "TLS: self-signed certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "TLS: self-signed certificate in the chain",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "TLS: certificate issuer unknown",
  UNABLE_TO_GET_ISSUER_CERT: "TLS: certificate issuer unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "TLS: certificate issuer unknown",
  ERR_TLS_CERT_ALTNAME_INVALID: "TLS: certificate is for another host",
  UND_ERR_HEADERS_OVERFLOW: HEADERS_TOO_LARGE,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: INVALID_RESPONSE
}

/**
 * Messages of undici and its parser that have no code: a status 100 and an upgrade that the request did not ask for, and
 * a header that continues on the next line. Why undici refuses them: docs/decisions/0018-connections.md.
 */
const unwanted: ReadonlyArray<readonly [message: string, text: string]> = [
  ["bad response", `${INVALID_RESPONSE} (100 Continue was not asked for)`],
  ["bad upgrade", INVALID_RESPONSE],
  ["Unexpected whitespace after header value", `${INVALID_RESPONSE} (header folded over several lines)`]
]

const codeOf = (error: unknown): string | undefined => {
  if (!Predicate.isObject(error)) return undefined
  // Several addresses failed: report the first failure.
  if (Predicate.hasProperty(error, "errors") && Array.isArray(error.errors)) {
    const first = codeOf(error.errors[0])
    if (first !== undefined) return first
  }
  if (Predicate.hasProperty(error, "code") && Predicate.isString(error.code)) {
    // undici wraps the socket's error.
    const inner = Predicate.hasProperty(error, "cause") ? codeOf(error.cause) : undefined
    return error.code === "UND_ERR_SOCKET" && inner !== undefined ? inner : error.code
  }
  return Predicate.hasProperty(error, "cause") ? codeOf(error.cause) : undefined
}

/** Why no response came. */
export const connectionFailure = (error: unknown): string => {
  const isParserError = error instanceof errors.HTTPParserError
  if (isParserError || error instanceof errors.SocketError) {
    const known = unwanted.find(([message]) => error.message.includes(message))
    if (known !== undefined) return known[1]
  }
  // undici gives its parser's errors a code only where llhttp names one.
  if (isParserError) return INVALID_RESPONSE
  const code = codeOf(error)
  if (code === undefined) return "connection failed"
  const text = texts[code]
  if (text !== undefined) return text
  if (code === "EPROTO" || code.startsWith("ERR_SSL") || code.startsWith("ERR_TLS"))
    return "TLS: handshake failed"
  return `connection failed (${code})`
}

/** Why a response is a failure; undefined for 2xx. */
export const responseFailure = (status: number): string | undefined => {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return `redirect not followed (HTTP ${status})`
  return `HTTP ${status}`
}

/** `status` is below 100, so it is no status of HTTP. */
export const invalidStatus = (status: number): string =>
  `${INVALID_RESPONSE} (status ${String(status).padStart(3, "0")})`

export const timeoutFailure = (timeoutMs: number): string => `timeout after ${timeoutMs} ms`
