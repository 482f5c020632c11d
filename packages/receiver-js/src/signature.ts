/**
 * Verifies the signatures of a webhook request over its raw body, in constant time. It knows both schemes of the
 * service: `service` (X-Service-Signature) and `standard` (Standard Webhooks), which also signs a timestamp.
 *
 * A secret that cannot work is a bug in the calling program, so it throws at once. A request that does not verify does
 * not throw: the result says so.
 */
import { createHmac, timingSafeEqual } from "node:crypto"

export type Scheme = "service" | "standard"

/** The headers as frameworks provide them: `Headers`, or an object whose names may be in upper or lower case. */
export type HeaderSource =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

export interface VerifyOptions {
  /** The webhook's secret. While it is being changed: the new and the previous one. */
  readonly secrets: ReadonlyArray<string>
  /**
   * The accepted schemes; one valid signature is enough. Default: both. Only `standard` refuses old requests, so use
   * `["standard"]` to require that.
   */
  readonly schemes?: ReadonlyArray<Scheme>
  /** How far a signed timestamp may be from this machine's clock. Default: 300. */
  readonly toleranceSeconds?: number
  /** Unix seconds of this machine's clock. For tests. */
  readonly nowSeconds?: number
}

export interface SignedRequest {
  readonly headers: HeaderSource
  /** The body as it arrived, before any parser. */
  readonly body: Uint8Array
}

/** Why a request does not verify. */
export type Refusal = "no_signature" | "no_match" | "malformed" | "too_old" | "too_new"

export const TOLERANCE_SECONDS = 300
/** The service sends at most two signatures; a header with thousands must not cost as many comparisons. */
const SIGNATURES_MAX = 16

export const headerOf = (headers: HeaderSource, name: string): string | undefined => {
  if (typeof headers.get === "function") return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === "string" ? found : Array.isArray(found) ? found.join(",") : undefined
}

const isOneOf = (signatures: ReadonlyArray<string>, expected: ReadonlyArray<string>): boolean =>
  signatures.slice(0, SIGNATURES_MAX).some((signature) => {
    const given = Buffer.from(signature)
    return expected.some((one) => {
      const right = Buffer.from(one)
      return given.length === right.length && timingSafeEqual(given, right)
    })
  })

const serviceRefusal = ({ body, headers }: SignedRequest, secrets: ReadonlyArray<string>) => {
  const header = headerOf(headers, "x-service-signature")
  if (header === undefined) return "no_signature"
  const expected = secrets.map(
    (secret) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
  )
  const signatures = header.split(",").map((one) => one.trim())
  return isOneOf(signatures, expected) ? undefined : "no_match"
}

/** The key of Standard Webhooks, undefined when the secret is not of its form. */
const standardKey = (secret: string): Buffer | undefined => {
  const base64 = /^whsec_(.+)$/.exec(secret)?.[1] ?? ""
  const key = Buffer.from(base64, "base64")
  // `Buffer` skips what is not base64.
  return base64 !== "" && key.toString("base64") === base64 ? key : undefined
}

const standardRefusal = (
  { body, headers }: SignedRequest,
  keys: ReadonlyArray<Buffer>,
  now: number,
  tolerance: number
): Refusal | undefined => {
  const header = headerOf(headers, "webhook-signature")
  if (header === undefined) return "no_signature"
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  if (!id || timestamp === undefined || !/^\d{1,15}$/.test(timestamp)) return "malformed"
  const expected = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`
  )
  if (!isOneOf(header.split(" "), expected)) return "no_match"
  if (Number(timestamp) < now - tolerance) return "too_old"
  return Number(timestamp) > now + tolerance ? "too_new" : undefined
}

/** Throws a TypeError when no request could ever verify with these options, or every request would. */
export const checkOptions = ({ schemes, secrets, toleranceSeconds }: VerifyOptions): void => {
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError("`secrets` must be a list of at least one secret")
  for (const [index, secret] of secrets.entries()) {
    if (typeof secret !== "string" || secret === "")
      throw new TypeError(`secrets[${index}] must be a non-empty string: is its environment variable set?`)
    if (!/^[!-~]+$/.test(secret))
      throw new TypeError(
        `secrets[${index}] must be visible ASCII without blanks or newlines: if it comes from a file, use trim()`
      )
    if (schemes !== undefined && !schemes.includes("service") && standardKey(secret) === undefined)
      throw new TypeError(`secrets[${index}] must be whsec_ and base64, as the scheme "standard" needs it`)
  }
  if (schemes?.length === 0 || schemes?.some((one) => one !== "service" && one !== "standard"))
    throw new TypeError('`schemes` must be a list of "service", "standard" or both')
  if (toleranceSeconds !== undefined && !(toleranceSeconds >= 0))
    throw new TypeError("`toleranceSeconds` must be a number from 0")
}

/**
 * Returns why the request is refused; undefined if it is genuine. Use it for logs and responses. `verify` returns
 * only true or false.
 */
export const refusalOf = (request: SignedRequest, options: VerifyOptions): Refusal | undefined => {
  checkOptions(options)
  if (!(request.body instanceof Uint8Array))
    throw new TypeError("`body` must be the raw bytes (Uint8Array), before any parser")
  const { nowSeconds = Date.now() / 1000, schemes = ["service", "standard"], secrets } = options
  const refusals = schemes.map((scheme): Refusal | undefined =>
    scheme === "service"
      ? serviceRefusal(request, secrets)
      : standardRefusal(
          request,
          secrets.flatMap((secret) => standardKey(secret) ?? []),
          nowSeconds,
          options.toleranceSeconds ?? TOLERANCE_SECONDS
        )
  )
  // One scheme that verifies is enough. If none does, the reason is that of a scheme whose header was present.
  if (refusals.includes(undefined)) return undefined
  return refusals.find((refusal) => refusal !== "no_signature") ?? "no_signature"
}

/** Whether one of the secrets signed the request. */
export const verify = (request: SignedRequest, options: VerifyOptions): boolean =>
  refusalOf(request, options) === undefined
