/**
 * Which addresses a webhook may have as its endpoint, as far as the text alone tells. Names are not resolved here: what
 * they resolve to is checked at every attempt, on the address really connected to.
 */
import { isLocalName, isPublicAddress, literalAddress } from "./AddressGuard.ts"

export interface EndpointRules {
  readonly allowHttp: boolean
  readonly allowPrivateAddresses: boolean
  /** Characters. */
  readonly maxLength: number
}

/** What is wrong with `url`, as the end of a sentence that begins with the field's name; undefined when it is allowed. */
export const endpointProblem = (url: string, rules: EndpointRules): string | undefined => {
  if (url.length > rules.maxLength) return `must have at most ${rules.maxLength} characters`
  // The parser would drop or escape them: what is shown must be what is called.
  if (!/^[!-~\u00a1-\uffff]*$/.test(url)) return "must not hold spaces or control characters"
  const schemes = rules.allowHttp ? "https or http" : "https"
  const parsed = URL.parse(url)
  if (parsed === null || parsed.hostname === "") return `must be an absolute ${schemes} URL`
  if (parsed.protocol !== "https:" && !(rules.allowHttp && parsed.protocol === "http:")) {
    return `must be an ${schemes} URL`
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return "must not hold a user name or password; send credentials in headers"
  }
  if (rules.allowPrivateAddresses) return undefined
  const literal = literalAddress(parsed.hostname)
  return isLocalName(parsed.hostname) || (literal !== undefined && !isPublicAddress(literal))
    ? "must point to a public address; loopback, private and other special addresses are not allowed"
    : undefined
}
