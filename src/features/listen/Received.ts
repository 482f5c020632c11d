/** Verifies one webhook request for `listen`, and formats it: a block for people, a JSON line for programs. Pure. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Limits } from "../../spine/config/Limits.ts"
import { responseFailure } from "../../spine/deliver/send/RequestFailures.ts"
import { type SigningScheme, signingSchemes, standardKey } from "../../spine/domain/Signing.ts"
import { type SignatureVerdict, verifySignature } from "../../spine/domain/VerifySignature.ts"
import { batchContentType } from "../../spine/event/Batch.ts"
import type { RequestFormat } from "../../spine/event/RequestFormat.ts"
import { isDeeperThan } from "../../spine/words/JsonDepth.ts"
import { BOLD, GREEN, painter, RED, YELLOW } from "../../terminal/Colour.ts"
import { printableLines } from "../../terminal/JsonText.ts"
import { eventText } from "../events/follow/EventLine.ts"

/** Age of an attempt whose Standard Webhooks signature is accepted, as in the libraries. */
const SIGNATURE_AGE_MS = 5 * 60_000

export interface Received {
  readonly receivedAt: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signature: SignatureVerdict
  /** The HTTP status of the response. */
  readonly status: number
}

const schemeHeaders: Readonly<Record<SigningScheme, string>> = {
  service: "x-service-signature",
  standard: "webhook-signature"
}

/** The schemes that the sender has signed the request with. */
const schemesOf = (headers: Received["headers"]): ReadonlyArray<SigningScheme> =>
  signingSchemes.filter((scheme) => headers[schemeHeaders[scheme]] !== undefined)

/** As the Standard Webhooks specification asks: in constant time, and only if the attempt was made recently. */
const verifyStandard = (
  secret: string,
  body: Uint8Array,
  headers: Received["headers"],
  nowMs: number
): SignatureVerdict => {
  const {
    "webhook-id": id = "",
    "webhook-timestamp": seconds = "",
    "webhook-signature": given = ""
  } = headers
  const key = standardKey(secret)
  const ageMs = Math.abs(nowMs - Number(seconds) * 1_000)
  if (key === undefined || !/^\d+$/.test(seconds) || ageMs > SIGNATURE_AGE_MS) return "wrong"
  const hmac = createHmac("sha256", key, { encoding: "base64" }).update(`${id}.${seconds}.`).update(body)
  const expected = Buffer.from(`v1,${hmac.digest("base64")}`)
  const isRight = given.split(" ").some((one) => {
    const signature = Buffer.from(one)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
  return isRight ? "ok" : "wrong"
}

/** Checks the signature of each scheme that the request has. All must be right, and there must be one. */
export const verifyRequest = (
  secret: string | undefined,
  body: Uint8Array,
  headers: Received["headers"],
  nowMs: number
): SignatureVerdict => {
  if (secret === undefined) return "not checked"
  const schemes = schemesOf(headers)
  const isRight = (scheme: SigningScheme) =>
    scheme === "service"
      ? verifySignature(secret, body, headers[schemeHeaders.service]) === "ok"
      : verifyStandard(secret, body, headers, nowMs) === "ok"
  return schemes.length > 0 && schemes.every(isRight) ? "ok" : "wrong"
}

const NAME_WIDTH = 10

/** Returns the text itself if it is not JSON or is nested too deep. */
const parsed = (text: string): unknown => {
  if (isDeeperThan(text, Limits.jsonDepth)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const formatOf = ({ headers }: Received): RequestFormat =>
  headers["ce-specversion"] === undefined && headers["content-type"] !== batchContentType.cloudevents
    ? "ledgerhook"
    : "cloudevents"

/** The envelope's fields. A CloudEvent has them in its headers, and its body is the payload. */
const envelopeOf = (received: Received, body: unknown): Readonly<Record<string, unknown>> => {
  if (formatOf(received) === "ledgerhook") return typeof body === "object" && body !== null ? { ...body } : {}
  const { headers } = received
  return {
    ledger_index: headers["ce-ledgerindex"],
    timestamp: headers["ce-time"],
    network: headers["ce-network"],
    webhook_id: headers["ce-webhookid"],
    payload: body
  }
}

const header = ({ headers }: Received, name: string): string | undefined => headers[`x-service-${name}`]

export const jsonLine = (received: Received): string =>
  printableLines(
    JSON.stringify({
      received_at: received.receivedAt,
      path: received.path,
      signature: received.signature,
      signed_with: schemesOf(received.headers),
      status: received.status,
      format: formatOf(received),
      batch_id: header(received, "batch-id"),
      delivery_id: header(received, "delivery-id"),
      event_id: header(received, "event-id"),
      event_type: header(received, "event-type"),
      sequence: header(received, "sequence"),
      sent_at: header(received, "timestamp"),
      body: parsed(received.body)
    })
  )

/** Two columns, the second indented if it has several lines. The sender is untrusted, so its text is escaped. */
const row = (name: string, value: string): string =>
  `  ${name.padEnd(NAME_WIDTH)}${printableLines(value).replaceAll("\n", `\n${" ".repeat(NAME_WIDTH + 2)}`)}`

const shown = (value: unknown): string =>
  value === undefined ? "-" : typeof value === "string" ? value : JSON.stringify(value)

const SIGNATURE_COLOURS: Readonly<Record<SignatureVerdict, number>> = {
  ok: GREEN,
  wrong: RED,
  "not checked": YELLOW
}

/** One line for each delivery of a batch. */
const batchRows = (received: Received, body: unknown): ReadonlyArray<string> => {
  const items = Array.isArray(body) ? body : []
  const lines = items.map((item) => {
    const { delivery_id, deliveryid, sequence, event = item } = Object(item)
    const { event_id, event_type, id, type } = Object(event)
    return [event_type ?? type, event_id ?? id, delivery_id ?? deliveryid, sequence].map(shown).join("  ")
  })
  return [
    row("batch", `${header(received, "batch-id")}  of ${items.length}`),
    row("events", lines.join("\n"))
  ]
}

const verdictOf = ({ headers, signature }: Received): string => {
  const schemes = schemesOf(headers)
  return `signature ${signature}${schemes.length === 0 ? "" : ` (${schemes.join(", ")})`}`
}

/** A request in one line. */
export const line = (received: Received, colour: boolean): string => {
  const paint = painter(colour)
  const batchId = header(received, "batch-id")
  const type = header(received, "event-type") ?? (batchId === undefined ? "(no event type)" : "batch")
  return [
    paint(String(received.status), responseFailure(received.status) === undefined ? GREEN : RED),
    paint(verdictOf(received), SIGNATURE_COLOURS[received.signature]),
    eventText(type, header(received, "event-id") ?? batchId ?? "-", paint)
  ].join("  ")
}

export const block = (received: Received, colour: boolean): string => {
  const paint = painter(colour)
  const body = parsed(received.body)
  const fields = envelopeOf(received, body)
  const content = fields["payload"] ?? body
  const isBatch = header(received, "batch-id") !== undefined
  const type = isBatch ? "batch" : printableLines(header(received, "event-type") ?? "(no event type)")
  const verdict = verdictOf(received)
  const sequence = header(received, "sequence")
  const answered = row("answered", `${received.status}  at ${received.receivedAt}  on ${received.path}`)
  const rows = isBatch
    ? [...batchRows(received, body), answered]
    : [
        row("ledger", ["ledger_index", "timestamp", "network"].map((name) => shown(fields[name])).join("  ")),
        ...(sequence === undefined ? [] : [row("sequence", sequence)]),
        row("event", header(received, "event-id") ?? "-"),
        row("delivery", `${header(received, "delivery-id") ?? "-"}  for ${shown(fields["webhook_id"])}`),
        answered,
        row("payload", typeof content === "string" ? content : JSON.stringify(content, null, 2))
      ]
  return [`${paint(type, BOLD)}  ${paint(verdict, SIGNATURE_COLOURS[received.signature])}`, ...rows, ""].join(
    "\n"
  )
}
