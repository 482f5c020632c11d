/**
 * Why a request failed. Texts for `last_error`: those of failed connections (domain/ConnectionFailure.ts), and those
 * that undici adds. Errors that say nothing about the receiver are told apart: `shortageOf`. Pure.
 */
import { Predicate } from "effect"
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

const DESCRIPTORS =
  "has too many open files and connections: raise the limit of open files (`ulimit -n`, or LimitNOFILE of systemd)"
const MEMORY = "lacks memory for connections"

const shortages: Readonly<Record<string, string>> = {
  EMFILE: DESCRIPTORS,
  ENFILE: "has too many open files in all its programs: raise fs.file-max",
  ENOBUFS: MEMORY,
  ENOMEM: MEMORY,
  EAI_MEMORY: MEMORY
}

const PORTS = "lacks local ports for connections to one address: widen net.ipv4.ip_local_port_range"

/**
 * What this machine lacks, as the end of a sentence: file descriptors, local ports or memory. Such an attempt does not
 * count. Undefined if the error has another cause. Codes come from Node, its system resolver and c-ares.
 */
export const shortageOf = (error: unknown): string | undefined => {
  if (!Predicate.isObject(error)) return undefined
  const of = (name: string) => (Predicate.hasProperty(error, name) ? error[name] : undefined)
  const [address, code] = [of("address"), of("code")]
  if (typeof code === "string" && Object.hasOwn(shortages, code)) return `${shortages[code]} (${code})`
  // glibc reports so that it could not open a socket or a file.
  if (code === "EBUSY" && of("syscall") === "getaddrinfo") return `${DESCRIPTORS} (${code})`
  // For an IPv6 address it also means that the machine has none of its own.
  if (code === "EADDRNOTAVAIL" && typeof address === "string" && !address.includes(":"))
    return `${PORTS} (${code})`
  return shortageOf(of("cause"))
}
