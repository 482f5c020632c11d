/** Where traces and metrics go, from the settings: an address for each, and the headers of every request. Pure. */

export interface OtlpEndpoint {
  /** For messages: names the server and no secret. */
  readonly host: string
  readonly traces: string
  readonly metrics: string
  readonly headers: Readonly<Record<string, string>>
}

/** `address`: with the user and password it wants, which go into a header; a header that is given comes first. */
export const otlpEndpoint = (
  address: string,
  headers: Readonly<Record<string, string>> = {}
): OtlpEndpoint => {
  const url = new URL(address)
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ""
  url.password = ""
  const path = url.pathname.replace(/\/+$/, "")
  const below = (signal: string) => {
    const of = new URL(url)
    of.pathname = `${path}/v1/${signal}`
    return of.href
  }
  return {
    host: url.host,
    traces: below("traces"),
    metrics: below("metrics"),
    headers: {
      ...(user === ":" ? {} : { authorization: `Basic ${Buffer.from(user).toString("base64")}` }),
      ...headers
    }
  }
}
