/** The headers of one attempt's request, without those that HTTP adds (Host, Content-Length, Connection). */
import { HIDDEN_VALUE } from "./WebhookRules.ts"

interface Request {
  /** The webhook's own headers: they never replace the service's. */
  readonly headers: Readonly<Record<string, string>>
  readonly signature: string
  readonly deliveryId: string
  readonly eventId: string
  readonly eventType: string
  /** When the attempt begins, in Unix milliseconds. */
  readonly attemptedAt: number
}

export const requestHeaders = (request: Request): Readonly<Record<string, string>> => ({
  "User-Agent": "Ledgerhook/0.1",
  ...request.headers,
  "Content-Type": "application/json",
  "X-Service-Signature": request.signature,
  "X-Service-Delivery-Id": request.deliveryId,
  "X-Service-Event-Id": request.eventId,
  "X-Service-Event-Type": request.eventType,
  "X-Service-Timestamp": String(Math.floor(request.attemptedAt / 1000))
})

/** The same headers for people. The values of custom headers are often secrets, and a signature allows to send the body again. */
export const shownRequestHeaders = ({
  headerNames,
  ...request
}: Omit<Request, "headers" | "signature"> & {
  readonly headerNames: ReadonlyArray<string>
}): Readonly<Record<string, string>> =>
  requestHeaders({
    ...request,
    headers: Object.fromEntries(headerNames.map((name) => [name, HIDDEN_VALUE])),
    signature: `sha256=${HIDDEN_VALUE}`
  })
