/** Texts for `last_error`: those of failed connections (domain/ConnectionFailure.ts), and those that undici adds. */
import { failureCode, failureText } from "../../domain/ConnectionFailure.ts"

const INVALID_RESPONSE = "invalid response"
export const HEADERS_TOO_LARGE = "response headers too large"

const texts: Readonly<Record<string, string>> = {
  ADDRESS_NOT_ALLOWED: "address not allowed",
  UND_ERR_SOCKET: "connection reset",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
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

/** Why no response came. */
export const connectionFailure = (error: unknown): string => {
  // By name, so that the commands that use this do not load undici.
  const { message = "", name = "" } = error instanceof Error ? error : {}
  const isParserError = name === "HTTPParserError"
  if (isParserError || name === "SocketError") {
    const known = unwanted.find(([part]) => message.includes(part))
    if (known !== undefined) return known[1]
  }
  // undici gives its parser's errors a code only where llhttp names one.
  if (isParserError) return INVALID_RESPONSE
  const code = failureCode(error)
  return code === undefined ? "connection failed" : (texts[code] ?? failureText(code))
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
