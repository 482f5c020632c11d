/**
 * The state before the first simulated ledger: gateways with their tokens, people with XRP and trust lines, guests
 * whose accounts may be deleted, and the genesis account with all other XRP. It is built at random; the account
 * addresses derive from the name of the chain's origin.
 */
import type { JsonObject } from "../../spine/event/Ledger.ts"
import { sidesOf } from "./Directories.ts"
import { type Token, UNIT } from "./IntegerAmounts.ts"
import { accountKey, addressOf } from "./Keys.ts"
import { type Entry, LedgerState } from "./LedgerState.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { TransactionView } from "./TransactionView.ts"
import {
  balanceOf,
  createLine,
  currencyOf,
  isFrozen,
  limitOf,
  lsfDefaultRipple
} from "./TrustLineBalances.ts"

/** The total of all XRP in drops. The genesis account has what no other account has. */
export const TOTAL_DROPS = 100_000_000_000n * UNIT
const GENESIS_ACCOUNT = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"

const PEOPLE = 32
const GUESTS = 8
/** Currency, gateway and rough price in drops per unit. */
const TOKENS = [
  { currency: "USD", gateway: 0, price: 450_000n },
  { currency: "EUR", gateway: 0, price: 520_000n },
  { currency: "USD", gateway: 1, price: 449_000n },
  { currency: "GBP", gateway: 1, price: 610_000n },
  // "RLUSD" and "SOLO" in the 160-bit form of codes that are longer than three characters.
  { currency: "524C555344000000000000000000000000000000", gateway: 2, price: 451_000n },
  { currency: "534F4C4F00000000000000000000000000000000", gateway: 3, price: 130_000n }
] as const
const GATEWAYS = 4

export interface TradedToken extends Token {
  /** The price around which it trades, in drops per unit. */
  readonly price: bigint
}

export interface World {
  readonly random: SeededRandom
  readonly state: LedgerState
  readonly tokens: ReadonlyArray<TradedToken>
  readonly gateways: ReadonlyArray<string>
  /** Accounts that own tokens, NFTs, escrows and checks, and are never deleted. */
  readonly people: ReadonlyArray<string>
  /** Accounts created by a payment. They own nothing, so they can be deleted. */
  readonly guests: Set<string>
  readonly freshAddress: () => string
  /** The ledger being made. */
  readonly ledgerIndex: number
  readonly parentCloseTime: number
}

export type MutableWorld = { -readonly [key in keyof World]: World[key] }

export const accountRoot = (account: string, balance: bigint, sequence: number, flags = 0): JsonObject => ({
  Account: account,
  Balance: balance.toString(),
  Flags: flags,
  OwnerCount: 0,
  Sequence: sequence
})

export const makeWorld = (
  random: SeededRandom,
  origin: string,
  ledgerIndex: number,
  closeTime: number
): MutableWorld => {
  const state = new LedgerState()
  const named = (kind: string, count: number) =>
    Array.from({ length: count }, (_, n) => addressOf(`${origin} ${kind} ${n}`))
  const gateways = named("gateway", GATEWAYS)
  const people = named("person", PEOPLE)
  const guests = named("guest", GUESTS)
  const tokens = TOKENS.map(({ currency, gateway, price }) => ({
    currency,
    issuer: gateways[gateway]!,
    price
  }))
  let fresh = 0

  const view = new TransactionView(state, {
    hash: "0".repeat(64),
    account: GENESIS_ACCOUNT,
    sequence: 0,
    ledgerIndex,
    parentCloseTime: closeTime
  })
  let left = TOTAL_DROPS
  const open = (account: string, balance: bigint, flags = 0): void => {
    left -= balance
    view.create("AccountRoot", accountKey(account), accountRoot(account, balance, random.int(1, 500), flags))
  }
  for (const gateway of gateways) open(gateway, 5_000n * UNIT, lsfDefaultRipple)
  for (const person of people) open(person, BigInt(random.int(20_000, 200_000)) * UNIT)
  for (const guest of guests) open(guest, BigInt(random.int(15, 60)) * UNIT)
  open(GENESIS_ACCOUNT, left)
  for (const person of people)
    for (const token of tokens)
      if (random.flip(0.6))
        createLine(view, person, token, {
          limit: 1_000_000n * UNIT,
          balance: BigInt(random.int(500, 20_000)) * UNIT
        })
  view.affectedNodes()

  return {
    random,
    state,
    tokens,
    gateways,
    people,
    guests: new Set(guests),
    freshAddress: () => addressOf(`${origin} fresh ${fresh++}`),
    ledgerIndex,
    parentCloseTime: closeTime
  }
}

/** A random one of `people`, other than the given ones. */
export const otherPerson = (world: World, ...than: ReadonlyArray<string>): string =>
  world.random.pick(world.people.filter((person) => !than.includes(person)))

/** A person's trust line, from that person's view. */
export interface Holding {
  readonly line: Entry
  readonly holder: string
  readonly token: TradedToken
  readonly balance: bigint
  readonly limit: bigint
  /** How much more of the token the limit allows the person to receive. */
  readonly room: bigint
  /** Whether the gateway has frozen the line. */
  readonly frozen: boolean
}

/** The matching holdings, in the order of their creation. */
export const holdings = (
  world: World,
  fits: (holding: Holding) => boolean = () => true
): ReadonlyArray<Holding> =>
  world.state.ofType("RippleState").flatMap((line) => {
    const { fields } = line
    const { high, low } = sidesOf(fields)
    const [holder, issuer] = world.gateways.includes(low) ? [high, low] : [low, high]
    const token = world.tokens.find((one) => one.issuer === issuer && one.currency === currencyOf(fields))
    if (token === undefined) return []
    const balance = balanceOf(fields, holder)
    const limit = limitOf(fields, holder)
    const holding = {
      line,
      holder,
      token,
      balance,
      limit,
      room: limit - balance,
      frozen: isFrozen(fields, holder)
    }
    return fits(holding) ? [holding] : []
  })
