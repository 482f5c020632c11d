/**
 * Builds transactions in the ledger's own form, with only the fields that a case needs. Defaults: a successful
 * transaction of a recent ledger with a header.
 */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { addressOfAccountId } from "../../../src/spine/event/AccountId.ts"
import type { Json, JsonObject, Ledger, LedgerTransaction } from "../../../src/spine/event/Ledger.ts"
import type { DetectedEvent, Detection } from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { complaints, payloadPath } from "../../schemas/support.ts"

/** 20 bytes that start with the name: a valid address that nobody has. */
export const accountIdOf = (name: string): string =>
  Buffer.from(name.padEnd(20, "~")).toString("hex").toUpperCase()
const account = (name: string): string => addressOfAccountId(accountIdOf(name))

export const alice = account("alice")
export const bob = account("bob")
export const carol = account("carol")
export const dave = account("dave")
export const issuer = account("issuer")

/** The key of a ledger entry. Keys sort like their numbers. */
export const key = (n: number): string => n.toString(16).toUpperCase().padStart(64, "0")

export const hashNamed = (name: string): string =>
  createHash("sha256").update(name).digest("hex").toUpperCase()
const txHash = hashNamed("the transaction")

export const token = (value: string, from = issuer, currency = "USD") => ({ currency, issuer: from, value })
export const usd = (value: string) => token(value)

export const created = (type: string, id: string, fields: JsonObject): JsonObject => ({
  CreatedNode: { LedgerEntryType: type, LedgerIndex: id, NewFields: fields }
})

export const modified = (
  type: string,
  id: string,
  fields: JsonObject,
  previous?: JsonObject
): JsonObject => ({
  ModifiedNode: {
    LedgerEntryType: type,
    LedgerIndex: id,
    FinalFields: fields,
    ...(previous && { PreviousFields: previous })
  }
})

export const deleted = (type: string, id: string, fields: JsonObject, previous?: JsonObject): JsonObject => ({
  DeletedNode: {
    LedgerEntryType: type,
    LedgerIndex: id,
    FinalFields: fields,
    ...(previous && { PreviousFields: previous })
  }
})

/** An account whose balance goes from `before` to `after`. */
export const balance = (address: string, before: string, after: string): JsonObject =>
  modified("AccountRoot", hashNamed(address), { Account: address, Balance: after }, { Balance: before })

export const transaction = (
  tx: JsonObject,
  nodes: ReadonlyArray<Json> = [],
  meta: JsonObject = {},
  hash = txHash
): LedgerTransaction => ({
  hash,
  tx: { Account: alice, Fee: "10", Sequence: 7, ...tx },
  meta: { TransactionResult: "tesSUCCESS", TransactionIndex: 0, AffectedNodes: nodes, ...meta }
})

export const ledgerOf = (
  transactions: ReadonlyArray<LedgerTransaction>,
  header: Partial<Ledger> = {}
): Ledger => ({
  ledger_index: 90_000_000,
  ledger_hash: hashNamed("ledger"),
  parent_hash: hashNamed("parent"),
  close_time: 800_000_000,
  parent_close_time: 799_999_990,
  transactions,
  ...header
})

/** From the time before metadata recorded what a partial payment delivered. */
export const in2013: Partial<Ledger> = { ledger_index: 3_000_000, close_time: 430_000_000 }

/** Detects, and checks each event against the published schemas. */
export const detect = (
  transaction: LedgerTransaction,
  header: Partial<Ledger> = {},
  network?: Network
): Detection => {
  const detection = detectLedger(ledgerOf([transaction], header), network)
  for (const { event_type, payload } of detection.events)
    assert.deepStrictEqual(complaints(payloadPath(event_type), payload), [])
  return detection
}

/** `type` or `type:sub_index` of each event, in order. */
export const names = ({ events }: Detection): ReadonlyArray<string> =>
  events.map(({ event_id }) => event_id.split(":").slice(3).join(":"))

/** Code and event type of each alert. */
export const withheld = ({ alerts }: Detection): ReadonlyArray<ReadonlyArray<string | null>> =>
  alerts.map(({ code, event_type }) => [code, event_type])

/** The event named `type` or `type:sub_index`; fails if there is none. */
export const eventNamed = (detection: Detection, name: string): DetectedEvent => {
  const event = detection.events[names(detection).indexOf(name)]
  assert.isDefined(event, `${name} is not among ${names(detection).join(", ")}`)
  return event
}

export const payloadNamed = (detection: Detection, name: string): JsonObject =>
  eventNamed(detection, name).payload

export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  )
