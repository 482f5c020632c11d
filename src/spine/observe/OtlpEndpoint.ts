/** The OTLP addresses for traces and metrics, and the headers of each request, from the settings. Pure. */

export interface OtlpEndpoint {
  /** The server's host for messages, without user and password. */
  readonly host: string
  readonly traces: string
  readonly metrics: string
  readonly headers: Readonly<Record<string, string>>
}

/** A user and password in `address` become an `authorization` header, unless `headers` contains one. */
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
