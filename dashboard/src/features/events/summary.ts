/** What an event is about, in two short texts for a list: how much, and between whom. Pure. */
import { cut } from "../../words/format.ts"
import { amountOf, currencyName, decimal } from "./amounts.ts"

type Payload = Readonly<Record<string, unknown>>

const textOf = (payload: Payload, field: string): string | undefined => amountOf(field, payload[field])?.text

const first = (payload: Payload, fields: ReadonlyArray<string>): string | undefined =>
  fields.map((field) => textOf(payload, field)).find((text) => text !== undefined)

/** "10 XRP for 5 USD", "17.31 XRP", "limit 1,000 USD", or nothing. */
export const amountIn = (payload: Payload): string => {
  for (const prefix of ["filled_", ""]) {
    const [gets, pays] = [textOf(payload, `${prefix}taker_gets`), textOf(payload, `${prefix}taker_pays`)]
    if (gets !== undefined && pays !== undefined) return `${gets} for ${pays}`
  }
  const { limit: own, limit_peer: peer, currency } = payload
  // Usually one side trusts the other, which issues the token and has no limit.
  const limit = own === "0" ? peer : own
  if (typeof limit === "string" && typeof currency === "string") {
    return `limit ${decimal(limit)} ${currencyName(currency)}`
  }
  return first(payload, ["amount", "initial_balance", "delivered_amount", "send_max"]) ?? ""
}

const pairs = [
  ["sender", "receiver"],
  ["seller", "buyer"],
  ["created_by", "account"],
  ["account", "destination"],
  ["owner", "destination"],
  ["account", "counterparty"],
  ["taker", "account"]
] as const

/** Characters of an address before its middle. */
const ADDRESS_HEAD = 4

const addressIn = (payload: Payload, field: string): string | undefined => {
  const value = payload[field]
  return typeof value === "string" ? value : undefined
}

interface Party {
  readonly field: string
  readonly address: string
}

/** Who gives and who gets; undefined if the event is about one account. */
export const partiesIn = (payload: Payload): readonly [from: Party, to: Party] | undefined => {
  for (const [from, to] of pairs) {
    const [a, b] = [addressIn(payload, from), addressIn(payload, to)]
    if (a !== undefined && b !== undefined)
      return [
        { field: from, address: a },
        { field: to, address: b }
      ]
  }
  return undefined
}

/** "rPPx…rQxX → rLXr…jnzd", or one account. */
export const accountsIn = (payload: Payload): string => {
  const parties = partiesIn(payload)
  if (parties !== undefined) return parties.map(({ address }) => cut(address, ADDRESS_HEAD)).join(" → ")
  const one = addressIn(payload, "account") ?? addressIn(payload, "owner")
  return one === undefined ? "" : cut(one, ADDRESS_HEAD)
}
