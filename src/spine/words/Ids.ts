/**
 * Ids: a prefix and a 26-character ULID in Crockford base 32, upper case, so that they sort by creation time.
 * A delivery's id is deterministic, so that an event routed twice after a crash makes the same row: 48 bits of the
 * moment its event was detected, 24 bits of the event's position in its ledger, 56 bits of a hash of webhook and
 * event. Ids of one webhook therefore sort in ledger order.
 */
import { createHash, randomBytes } from "node:crypto"

/**
 * A text that is the id of one kind of thing. A plain text may be given for it, the id of another kind may not: so ids
 * are not mixed up, and rows and records need no conversion.
 */
type IdOf<Kind extends string> = string & { readonly idOf?: Kind }

export type AccountId = IdOf<"account">
export type DeliveryId = IdOf<"delivery">
export type EventId = IdOf<"event">
export type WebhookId = IdOf<"webhook">

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** In one list, because a prefix alone says what an id names. */
export type IdPrefix = "dlv_" | "wh_" | "rpl_job_" | "key_" | "acct_" | "bat_" | "inc_"

/** Crockford base 32 of `bytes` (16 of them), most significant first, in 26 characters. */
const encode = (bytes: Uint8Array): string => {
  let text = ""
  let buffer = 0
  // 26 characters hold 130 bits: two zero bits come first.
  let bits = 2
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(buffer >>> bits) & 31]
      buffer &= (1 << bits) - 1
    }
  }
  return text
}

const withTime = (unixMs: number): Buffer => {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(unixMs, 0, 6)
  return bytes
}

export const randomId = (prefix: IdPrefix, unixMs: number): string => {
  const bytes = withTime(unixMs)
  randomBytes(10).copy(bytes, 6)
  return prefix + encode(bytes)
}

export const deliveryId = (
  detectedAt: number,
  position: number,
  webhookId: WebhookId,
  eventId: EventId
): DeliveryId => {
  const bytes = withTime(detectedAt)
  bytes.writeUIntBE(position, 6, 3)
  createHash("sha256").update(`${webhookId} ${eventId}`).digest().copy(bytes, 9, 0, 7)
  return `dlv_${encode(bytes)}`
}

/** The id of a webhook's incident that began then. */
export const incidentId = (beganAt: number, webhookId: WebhookId): string => {
  const bytes = withTime(beganAt)
  createHash("sha256").update(webhookId).digest().copy(bytes, 6, 0, 10)
  return `inc_${encode(bytes)}`
}

/** The smallest delivery id of that time and position. */
export const firstDeliveryIdAt = (unixMs: number, position: number): DeliveryId => {
  const bytes = withTime(unixMs)
  bytes.writeUIntBE(position, 6, 3)
  return `dlv_${encode(bytes)}`
}

/** The smallest id of that millisecond: bounds of time ranges and of table partitions. */
export const firstIdAt = (prefix: IdPrefix, unixMs: number): string => prefix + encode(withTime(unixMs))

/** The millisecond an id was made in. */
export const idTime = (id: string): number => {
  let time = 0
  for (const char of id.slice(-26, -16)) time = time * 32 + ALPHABET.indexOf(char)
  return time
}

const ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
const ulid = new RegExp(`^${ULID}$`)

/** The form of an id, as the source of a regular expression. */
export const idPattern = (prefix: IdPrefix): string => `^${prefix}${ULID}$`

export const isId = (prefix: IdPrefix, id: string): boolean =>
  id.startsWith(prefix) && ulid.test(id.slice(prefix.length))
