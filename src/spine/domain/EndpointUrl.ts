/**
 * Checks a webhook's URL by its text alone. Host names are not resolved here: every attempt checks the address that it
 * connects to (deliver/send/Connection.ts).
 */
import { isLocalName, isPublicAddress, literalAddress } from "./AddressGuard.ts"

export interface EndpointRules {
  readonly allowHttp: boolean
  readonly allowPrivateAddresses: boolean
}

/** Characters of an endpoint's URL, as it is given and after percent-encoding. */
export const URL_LENGTH_MAX = 2_048

/** Between two dots. Underscores are not for host names, but DNS has them and they work. */
const LABEL = /^[a-z0-9_-]{1,63}$/
const HOST_NAME_LENGTH = 253

/** `hostname` is as `URL` gives it: in lower case and Punycode. */
const hostNameProblem = (hostname: string): string | undefined => {
  const name = hostname.replace(/\.$/, "")
  if (name.length > HOST_NAME_LENGTH) return `must have a host name of at most ${HOST_NAME_LENGTH} characters`
  return name.split(".").every((label) => LABEL.test(label))
    ? undefined
    : "must have a host name of parts with 1 to 63 letters, digits, hyphens or underscores, and a dot between them"
}

const calledForm = (url: URL): string => {
  // Removes the question mark of an empty query, which is not sent.
  if (url.search === "") url.search = ""
  // Older rows may have one.
  url.hash = ""
  return url.href
}

/**
 * An allowed URL as attempts call it. The API stores this form, and shows older rows in it: dot segments are resolved,
 * the host is in lower case and Punycode, characters that HTTP does not carry are percent-encoded, a default port is
 * left out.
 */
export const calledUrl = (url: string): string => calledForm(new URL(url))

/** Returns the end of a sentence that begins with the field's name; undefined if `url` is allowed. */
export const endpointProblem = (url: string, rules: EndpointRules): string | undefined => {
  if (url.length > URL_LENGTH_MAX) return `must have at most ${URL_LENGTH_MAX} characters`
  // Nobody means them, and the URL parser would drop or escape them.
  if (!/^[!-~\u00a1-\uffff]*$/.test(url)) return "must not contain spaces or control characters"
  const schemes = rules.allowHttp ? "https or http" : "https"
  const parsed = URL.parse(url)
  if (parsed === null || parsed.hostname === "") return `must be an absolute ${schemes} URL`
  if (parsed.protocol === "http:" && !rules.allowHttp) {
    return "must be an https URL; this service does not allow http (its operator can: DELIVERY_ALLOW_HTTP=true)"
  }
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return `must be an ${schemes} URL`
  if (parsed.username !== "" || parsed.password !== "") {
    return "must not contain a user name or password; send credentials in headers"
  }
  if (url.includes("#")) return "must not contain a fragment (#…), because it is never sent"
  if (parsed.port === "0") return "must not have the port 0"
  if (calledForm(parsed).length > URL_LENGTH_MAX) {
    return `must have at most ${URL_LENGTH_MAX} characters after percent-encoding`
  }
  const literal = literalAddress(parsed.hostname)
  const problem = literal === undefined ? hostNameProblem(parsed.hostname) : undefined
  if (problem !== undefined || rules.allowPrivateAddresses) return problem
  return isLocalName(parsed.hostname) || (literal !== undefined && !isPublicAddress(literal))
    ? "must point to a public address; this service does not allow loopback, private and other special addresses (its operator can: DELIVERY_ALLOW_PRIVATE_ADDRESSES=true)"
    : undefined
}
