/**
 * Makes a conformance vector from a description: transactions in the ledger's own form, and the events that they must
 * cause. The three forms of a ledger are made from one description (Forms.ts). What is expected is written by hand from
 * docs/detection-rules.md; this file adds only ids, hashes and times, and calls no detector.
 */
import { createHash } from "node:crypto"
import { addressOfAccountId } from "../../src/spine/event/AccountId.ts"
import type { AlertCode } from "../../src/spine/event/AlertCode.ts"
import type { EventType } from "../../src/spine/event/EventType.ts"
import { publishedSchemas } from "../../src/spine/event/JsonSchemas.ts"
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"
import type { Network } from "../../src/spine/event/Network.ts"
import { isJsonObject } from "../../src/spine/event/NormaliseLedger.ts"
import { type Form, forms, formsOf, type Header, type Transaction, transactionOf } from "./Forms.ts"

export interface Vector {
  readonly name: string
  readonly rule: string
  readonly about: string
  /** The ledger's network, where a rule depends on it. Absent: unknown. */
  readonly network: string | undefined
  /** Whether memos and changes of balances are compared too. */
  readonly booking: true | undefined
  readonly input: Readonly<Partial<Record<Form, JsonObject>>>
  readonly events: ReadonlyArray<JsonObject>
  readonly alerts: ReadonlyArray<JsonObject>
}

/** 20 bytes that start with the name: a valid account that nobody has. Names sort like their accounts. */
export const accountIdOf = (name: string): string =>
  Buffer.from(name.padEnd(20, "~")).toString("hex").toUpperCase()
const account = (name: string): string => addressOfAccountId(accountIdOf(name))

export const alice = account("alice")
export const bob = account("bob")
export const carol = account("carol")
export const dave = account("dave")
export const erin = account("erin")
/** Issues USD and EUR. */
export const issuer = account("issuer")

/** The id of a ledger entry. Ids sort like their numbers. */
export const id = (n: number): string => n.toString(16).toUpperCase().padStart(64, "0")
export const hashNamed = (name: string): string =>
  createHash("sha256").update(name).digest("hex").toUpperCase()

export const token = (value: string, currency = "USD", from = issuer) => ({ currency, issuer: from, value })
export const usd = (value: string) => token(value)
export const eur = (value: string) => token(value, "EUR")
/** The 24 bytes that name an issuance: a sequence number and the issuer. */
export const issuance = `0000002A${accountIdOf("issuer")}`
export const mpt = (value: string) => ({ mpt_issuance_id: issuance, value })

export const created = (type: string, entry: string, fields: JsonObject = {}): JsonObject => ({
  CreatedNode: { LedgerEntryType: type, LedgerIndex: entry, NewFields: fields }
})
const changed =
  (kind: "DeletedNode" | "ModifiedNode") =>
  (type: string, entry: string, fields?: JsonObject, previous?: JsonObject): JsonObject => ({
    [kind]: {
      LedgerEntryType: type,
      LedgerIndex: entry,
      ...(fields && { FinalFields: fields }),
      ...(previous && { PreviousFields: previous })
    }
  })
export const modified = changed("ModifiedNode")
export const deleted = changed("DeletedNode")

/** An account whose balance goes from `before` to `after`. */
export const balance = (of: string, before: string, after: string, fields: JsonObject = {}): JsonObject =>
  modified("AccountRoot", hashNamed(of), { Account: of, Balance: after, ...fields }, { Balance: before })

/** An event that is expected: its name is the type, with the number where the id has one. */
export interface Expected {
  readonly name: string
  readonly payload: JsonObject
  readonly accounts: ReadonlyArray<string>
  /** Which transaction of the description causes it. */
  readonly of: number
  /** Memos and changes of balances, in vectors that compare them. */
  readonly beside: JsonObject
}

export const event = (
  name: EventType | `${EventType}:${number}`,
  payload: JsonObject,
  accounts: ReadonlyArray<string>,
  of = 0,
  beside: JsonObject = {}
): Expected => ({ name, payload, accounts, of, beside })

export interface Described {
  readonly tx: JsonObject
  readonly nodes?: ReadonlyArray<Json>
  readonly meta?: JsonObject
}

interface Description extends Partial<Described> {
  readonly name: string
  readonly rule: string
  readonly about: string
  /** Instead of `tx`, `nodes` and `meta`: several transactions, in the order of their indexes. */
  readonly several?: ReadonlyArray<Described>
  readonly header?: Partial<Header>
  readonly network?: Network
  readonly booking?: true
  readonly events?: ReadonlyArray<Expected>
  readonly alerts?: ReadonlyArray<readonly [code: AlertCode, type: EventType | null, of?: number]>
  /** The forms in which the case can exist. Default: all. */
  readonly only?: ReadonlyArray<Form>
  /** Changes a transaction's entry in the JSON forms. */
  readonly edit?: (entry: JsonObject) => JsonObject
}

/** Some recent ledger of the main network. */
const recent: Header = { ledger_index: 105_000_000, close_time: 817_000_000, parent_close_time: 816_999_996 }

/** From the time before metadata recorded what a partial payment delivered. */
export const in2013 = { ledger_index: 3_000_000, close_time: 430_000_000, parent_close_time: 429_999_990 }

const isoTime = (ripple: number): string =>
  `${new Date((ripple + 946_684_800) * 1_000).toISOString().slice(0, -".000Z".length)}Z`

/** The keys of a payload in the order of its published schema (docs/detection-rules.md 1.4). */
const keyOrder = new Map(
  publishedSchemas().map(({ document, path }) => [
    path,
    Object.keys(isJsonObject(document.properties) ? document.properties : {})
  ])
)
const inOrder = (type: string, payload: JsonObject): JsonObject => {
  const order = keyOrder.get(`payloads/${type}.schema.json`) ?? []
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  return Object.fromEntries(Object.entries(payload).toSorted(([a], [b]) => place(a) - place(b)))
}

const toEvent = (
  expected: Expected,
  header: Header,
  transactions: ReadonlyArray<Transaction>
): JsonObject => {
  const { hash } = transactions[expected.of]!
  const [event_type] = expected.name.split(":") as [string]
  return {
    event_id: `xrpl:${header.ledger_index}:${hash}:${expected.name}`,
    event_type,
    ledger_index: header.ledger_index,
    timestamp: isoTime(header.close_time),
    payload: inOrder(event_type, { tx_hash: hash, ...expected.payload }),
    accounts: [...new Set(expected.accounts)].toSorted(),
    ...expected.beside
  }
}

export const vector = (description: Description): Vector => {
  const {
    about,
    alerts = [],
    edit = (entry) => entry,
    events = [],
    name,
    network,
    only = forms,
    rule
  } = description
  const header = { ...recent, ...description.header }
  const { meta = {}, nodes = [], several, tx } = description
  const transactions = (several ?? (tx === undefined ? [] : [{ meta, nodes, tx }])).map((one, index) =>
    transactionOf(
      { Account: alice, Fee: "10", Sequence: 7, SigningPubKey: "", ...one.tx },
      {
        TransactionResult: "tesSUCCESS",
        TransactionIndex: index,
        AffectedNodes: one.nodes ?? [],
        ...one.meta
      },
      only.includes("binary") ? undefined : hashNamed(`${name} ${index}`)
    )
  )
  const hashOf = (of = 0) => transactions[of]!.hash
  return {
    name,
    rule,
    about,
    network,
    booking: description.booking,
    input: formsOf({ header, transactions, only, edit }),
    events: events.map((expected) => toEvent(expected, header, transactions)),
    alerts: alerts.map(([code, event_type, of]) => ({ code, event_type, tx_hash: hashOf(of) }))
  }
}
