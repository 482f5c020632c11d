/**
 * Detectors with one mistake each, of a kind that implementations make: our own detector with a changed input or output.
 * The conformance vectors must tell each from the right one.
 */
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import type { Json, JsonObject, Ledger, LedgerTransaction } from "../../../src/spine/event/Ledger.ts"
import type { DetectedEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { isJsonObject } from "../../../src/spine/event/NormaliseLedger.ts"

export type Detector = typeof detectLedger

const reading =
  (change: (transaction: LedgerTransaction, ledger: Ledger) => LedgerTransaction): Detector =>
  (ledger, network) =>
    detectLedger({ ...ledger, transactions: ledger.transactions.map((one) => change(one, ledger)) }, network)

const writing =
  (
    change: (events: ReadonlyArray<DetectedEvent>, ledger: Ledger) => ReadonlyArray<DetectedEvent>
  ): Detector =>
  (ledger, network) => {
    const { alerts, events } = detectLedger(ledger, network)
    return { alerts, events: change(events, ledger) }
  }

const payloads = (change: (payload: JsonObject, event: DetectedEvent) => JsonObject): Detector =>
  writing((events) => events.map((event) => ({ ...event, payload: change(event.payload, event) })))

const without = (object: JsonObject, ...names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

/** Ids without the number of their sub_index. */
const unnumbered = ({ event_id }: DetectedEvent): string => event_id.split(":").slice(0, 4).join(":")

/** Numbers events anew within each group, in the order given. */
const renumbered = (
  events: ReadonlyArray<DetectedEvent>,
  groupOf: (event: DetectedEvent) => string
): ReadonlyArray<DetectedEvent> => {
  const groups = Map.groupBy(events, groupOf)
  return events.map((event) => {
    const group = groups.get(groupOf(event))!
    const id = unnumbered(event)
    return {
      ...event,
      event_id: (group.length === 1 ? id : `${id}:${group.indexOf(event)}`) as DetectedEvent["event_id"]
    }
  })
}

/** Where a text stands in the source's list of nodes. */
const placeIn = (ledger: Ledger, text: Json | undefined): number =>
  Math.max(
    ...ledger.transactions.map(({ meta }) =>
      JSON.stringify(meta["AffectedNodes"] ?? []).indexOf(String(text))
    )
  )

const throughDouble = (amount: Json | undefined): Json =>
  isJsonObject(amount) ? { ...amount, value: String(Number(amount["value"])) } : String(Number(amount))

const mapped = (payload: JsonObject, change: (value: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, change(value, name)]))

export const mistakes: Readonly<Record<string, Detector>> = {
  "numbers begin at 1": writing((events) =>
    events.map((event) => {
      const [number] = event.event_id.split(":").slice(4)
      const event_id = number === undefined ? event.event_id : `${unnumbered(event)}:${Number(number) + 1}`
      return { ...event, event_id: event_id as DetectedEvent["event_id"] }
    })
  ),
  "numbers are given after a webhook's filter": writing((events) =>
    renumbered(events, (event) => unnumbered(event) + event.accounts[0])
  ),
  "a withheld event renumbers its siblings": writing((events) => renumbered(events, unnumbered)),
  "nodes keep the order of the source": writing((events, ledger) =>
    renumbered(
      events.toSorted((a, b) =>
        unnumbered(a) === unnumbered(b)
          ? placeIn(ledger, a.payload["offer_id"]) - placeIn(ledger, b.payload["offer_id"])
          : 0
      ),
      unnumbered
    )
  ),
  "transactions run in the order of their hashes": reading(({ hash, meta, tx }, { transactions }) => ({
    hash,
    tx,
    meta: { ...meta, TransactionIndex: transactions.filter((other) => other.hash < hash).length }
  })),
  "a failed transaction counts as a success": reading((transaction) => ({
    ...transaction,
    meta: {
      ...transaction.meta,
      TransactionResult: String(transaction.meta["TransactionResult"]).replace(/^tec.*/, "tesSUCCESS")
    }
  })),
  "failed transactions are skipped": (ledger, network) => {
    const transactions = ledger.transactions.filter(({ meta }) => meta["TransactionResult"] === "tesSUCCESS")
    return detectLedger({ ...ledger, transactions }, network)
  },
  "a payment delivers its Amount": reading(({ hash, meta, tx }) => ({
    hash,
    tx: tx["TransactionType"] === "Payment" ? { ...tx, Flags: 0 } : tx,
    meta: tx["TransactionType"] === "Payment" ? without(meta, "DeliveredAmount", "delivered_amount") : meta
  })),
  "taker_gets and taker_pays are exchanged": payloads((payload) =>
    Object.fromEntries(
      Object.entries(payload).map(([name, value]) => [
        name.replace(/gets$|pays$/, (side) => (side === "gets" ? "pays" : "gets")),
        value
      ])
    )
  ),
  "computed values pass through doubles": payloads((payload) =>
    mapped(payload, (value, name) => (name.startsWith("filled_") ? throughDouble(value) : value))
  ),
  "copied values are written as plain decimals": payloads((payload) =>
    mapped(payload, (value) => (isJsonObject(value) ? throughDouble(value) : value))
  ),
  "missing zero defaults are left out": payloads((payload) =>
    Object.fromEntries(
      Object.entries(payload).filter(
        ([name, value]) => !(["initial_balance", "amount"].includes(name) && value === "0")
      )
    )
  ),
  "a delegate is not involved": writing((events) =>
    events.map((event) => ({
      ...event,
      accounts: event.accounts.filter((account) => account !== event.payload["delegate"])
    }))
  ),
  "an offer that ran out of funds counts as filled": writing((events) =>
    events.filter(
      ({ event_type, payload }, i) =>
        !(
          event_type === "dex.offer_cancelled" &&
          events.some((other, j) => i !== j && other.payload["offer_id"] === payload["offer_id"])
        )
    )
  ),
  "expiry is compared with the ledger's own close time": (ledger, network) =>
    detectLedger({ ...ledger, parent_close_time: ledger.close_time }, network),
  "added settings are missed": payloads((payload, { event_type }) =>
    event_type === "account.settings_changed"
      ? {
          ...payload,
          changes: (payload["changes"] as ReadonlyArray<JsonObject>).filter((change) => "previous" in change)
        }
      : payload
  ),
  "lines that a trade made are missed": writing((events) =>
    events.filter(({ payload }) => payload["auto_created"] !== true)
  ),
  "absent fields are null": payloads((payload, { event_type }) =>
    event_type === "payment.xrp" ? { destination_tag: null, ...payload } : payload
  ),
  "drops are numbers": payloads((payload, { event_type }) =>
    event_type === "payment.xrp" ? { ...payload, amount: Number(payload["amount"]) } : payload
  )
}
