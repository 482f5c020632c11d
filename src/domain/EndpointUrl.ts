/**
 * Checks a webhook's URL by its text alone. Host names are not resolved here: every attempt checks the address that it
 * connects to (deliver/Connector.ts).
 */
import { isLocalName, isPublicAddress, literalAddress } from "./AddressGuard.ts"

export interface EndpointRules {
  readonly allowHttp: boolean
  readonly allowPrivateAddresses: boolean
  /** The longest URL allowed, in characters. */
  readonly maxLength: number
}

/** Returns the end of a sentence that begins with the field's name; undefined if `url` is allowed. */
export const endpointProblem = (url: string, rules: EndpointRules): string | undefined => {
  if (url.length > rules.maxLength) return `must have at most ${rules.maxLength} characters`
  // The URL parser would drop or escape them, and the URL called would differ from the URL shown.
  if (!/^[!-~\u00a1-\uffff]*$/.test(url)) return "must not contain spaces or control characters"
  const schemes = rules.allowHttp ? "https or http" : "https"
  const parsed = URL.parse(url)
  if (parsed === null || parsed.hostname === "") return `must be an absolute ${schemes} URL`
  if (parsed.protocol !== "https:" && !(rules.allowHttp && parsed.protocol === "http:")) {
    return `must be an ${schemes} URL`
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return "must not contain a user name or password; send credentials in headers"
  }
  if (rules.allowPrivateAddresses) return undefined
  const literal = literalAddress(parsed.hostname)
  return isLocalName(parsed.hostname) || (literal !== undefined && !isPublicAddress(literal))
    ? "must point to a public address; loopback, private and other special addresses are not allowed"
    : undefined
}
