/**
 * Why a connection failed, as a short and stable text, because people and alerts match it. Error codes come from Node,
 * c-ares and OpenSSL. For an unknown code the text contains the code, not the message, which may change and may name
 * files of Node's source. Pure.
 */
import { Predicate } from "effect"

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  ETIMEDOUT: "connection timed out",
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
  CERT_HAS_EXPIRED: "TLS: certificate has expired",
  CERT_NOT_YET_VALID: "TLS: certificate is not yet valid",
  CERT_REVOKED: "TLS: certificate is revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "TLS: self-signed certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "TLS: self-signed certificate in the chain",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "TLS: certificate issuer unknown",
  UNABLE_TO_GET_ISSUER_CERT: "TLS: certificate issuer unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "TLS: certificate issuer unknown",
  ERR_TLS_CERT_ALTNAME_INVALID: "TLS: certificate is for another host"
}

/** Whether it is the code of a certificate whose issuer is not trusted. */
export const isUntrusted = (code: string): boolean => /SELF_SIGNED|UNABLE_TO/.test(code)

/** The code of an error, or of the error that it wraps. */
export const failureCode = (error: unknown): string | undefined => {
  if (!Predicate.isObject(error)) return undefined
  // Several addresses failed: report the first failure.
  if (Predicate.hasProperty(error, "errors") && Array.isArray(error.errors)) {
    const first = failureCode(error.errors[0])
    if (first !== undefined) return first
  }
  if (Predicate.hasProperty(error, "code") && Predicate.isString(error.code)) {
    // undici wraps the socket's error.
    const inner = Predicate.hasProperty(error, "cause") ? failureCode(error.cause) : undefined
    return error.code === "UND_ERR_SOCKET" && inner !== undefined ? inner : error.code
  }
  return Predicate.hasProperty(error, "cause") ? failureCode(error.cause) : undefined
}

export const failureText = (code: string): string => {
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined
  if (text !== undefined) return text
  if (code === "EPROTO" || code.startsWith("ERR_SSL") || code.startsWith("ERR_TLS"))
    return "TLS: handshake failed"
  return `connection failed (${code})`
}

/** OpenSSL's own text: codes, the library, a function, the reason, and the place in its source. */
const OPENSSL =
  /(?:\w+ EPROTO )?[0-9A-F]*:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):[^:]*:\d+:(?:SSL alert number \d+)?\s*/

/** The reason in an error of OpenSSL, such as `wrong version number`. */
export const opensslReason = (message: string): string | undefined => OPENSSL.exec(message)?.[1]

/** The message, with only the reason of OpenSSL's own text. */
export const plainMessage = (message: string): string => message.replace(OPENSSL, "TLS: $1")
