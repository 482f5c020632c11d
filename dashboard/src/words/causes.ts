/** What the cause of a failure means for whoever runs the receiver. The causes are those of the service's `last_error`. Pure. */

const reasons: Readonly<Record<string, string>> = {
  "200": "OK",
  "201": "Created",
  "202": "Accepted",
  "204": "No Content",
  "400": "Bad Request",
  "401": "Unauthorized",
  "403": "Forbidden",
  "404": "Not Found",
  "405": "Method Not Allowed",
  "408": "Request Timeout",
  "410": "Gone",
  "413": "Content Too Large",
  "415": "Unsupported Media Type",
  "429": "Too Many Requests",
  "500": "Internal Server Error",
  "502": "Bad Gateway",
  "503": "Service Unavailable",
  "504": "Gateway Timeout"
}

const HTTP = /^HTTP (\d{3})$/

/** "HTTP 503" as "HTTP 503 Service Unavailable". Other causes stay as they are. */
export const causeInFull = (error: string): string => {
  const status = HTTP.exec(error)?.[1]
  const reason = status === undefined ? undefined : reasons[status]
  return reason === undefined ? error : `${error} ${reason}`
}

/** 503 as "HTTP/1.1 503 Service Unavailable". */
export const statusLine = (status: number): string => `HTTP/1.1 ${status} ${reasons[status] ?? ""}`.trimEnd()

/** "HTTP 503" as "503", "TLS: certificate has expired" as "TLS": for a column of a list. */
export const causeInShort = (error: string): string => HTTP.exec(error)?.[1] ?? error.split(/[:(]/)[0]!.trim()

/** The first that fits holds. */
const advices: ReadonlyArray<readonly [cause: RegExp, advice: (host: string) => string]> = [
  [/^HTTP 410/, () => "The receiver says that it is gone. Change the address, or disable the webhook."],
  [
    /^HTTP (401|403)/,
    () => "The server refuses the request. Check its access rules and the webhook's headers."
  ],
  [/^HTTP (404|405)/, () => "The server has no such address. Check the path of the URL."],
  [/^HTTP 413/, () => "The server refuses bodies of this size. Raise its limit, or use smaller batches."],
  [/^HTTP 429/, () => "The server asks for fewer requests. Set a limit per second."],
  [/^HTTP (502|504)/, (host) => `The proxy of ${host} answers, and the server behind it does not.`],
  [/^HTTP 503/, () => "The server answers, but says that it is overloaded or down."],
  [/^HTTP 5/, () => "The receiver's own program failed. Its log says why."],
  [/^redirect/, () => "Redirects are not followed. Set the address that the server redirects to."],
  [/^timeout|^connection timed out/, () => "No answer in time. Answer first, then work on the event."],
  [/^connection refused/, (host) => `Nothing listens at ${host}. Start the server, or correct the port.`],
  [/^connection/, (host) => `${host} closed the connection before it answered.`],
  [
    /^(host|network) unreachable/,
    (host) => `There is no way to ${host} from here. A firewall may be in between.`
  ],
  [/^DNS: host/, (host) => `The name ${host} does not exist. Correct the URL or the DNS record.`],
  [/^DNS/, (host) => `The name server of ${host} does not answer.`],
  [/^TLS: certificate has expired/, (host) => `Renew the certificate of ${host}.`],
  [/^TLS: certificate is for/, (host) => `The certificate of ${host} names other hosts.`],
  [/^TLS/, (host) => `The certificate or the TLS settings of ${host} are not accepted.`],
  [/^address not allowed/, () => "The service does not call this address."],
  [/^listed as failed/, () => "The receiver answers, and lists these deliveries as failed."]
]

/** One sentence that says what to do; undefined if there is nothing to add. */
export const adviceFor = (error: string, host: string): string | undefined =>
  advices.find(([cause]) => cause.test(error))?.[1](host)

/** `https://hooks.example.com/xrpl` as `hooks.example.com/xrpl`. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, "")

export const hostOf = (url: string): string => withoutScheme(url).split(/[/?]/)[0]!
