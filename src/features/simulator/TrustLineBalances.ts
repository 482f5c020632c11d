/**
 * Trust lines: balances from either side's view, and moving tokens. After each change it does what rippled does: it
 * updates which side pays the reserve, and removes a line that is in its default state on both sides.
 */
import type { JsonObject } from "../../spine/event/Ledger.ts"
import { sidesOf } from "./Directories.ts"
import { type Asset, NEUTRAL_ISSUER, quantityOf, type Token, valueText } from "./IntegerAmounts.ts"
import { accountKey, isLow, lineKey } from "./Keys.ts"
import type { Entry, LedgerState } from "./LedgerState.ts"
import type { Patch, TransactionView } from "./TransactionView.ts"

/** The flag of each kind for the low and the high side. */
export const lineFlags = {
  reserve: [0x10000, 0x20000],
  noRipple: [0x100000, 0x200000],
  freeze: [0x400000, 0x800000]
} as const

export const lsfDefaultRipple = 0x00800000

/** Reserve in drops: for an account, and for each entry it owns. */
const RESERVE_BASE = 1_000_000n
export const RESERVE_INCREMENT = 200_000n

export const flagsOf = (fields: JsonObject): number => Number(fields["Flags"] ?? 0)
export const hasFlag = (fields: JsonObject, flag: number): boolean => (flagsOf(fields) & flag) !== 0

/** 0 for the low side, 1 for the high side. */
export const sideOf = (line: JsonObject, account: string): 0 | 1 => (sidesOf(line).low === account ? 0 : 1)
export const lineOf = (state: LedgerState, account: string, token: Token): Entry | undefined =>
  state.get(lineKey(account, token.issuer, token.currency))

export const balanceOf = (line: JsonObject, account: string): bigint => {
  const low = quantityOf(line["Balance"])
  return sideOf(line, account) === 0 ? low : -low
}

const limitFields = ["LowLimit", "HighLimit"] as const
export const limitField = (line: JsonObject, account: string) => limitFields[sideOf(line, account)]
export const limitOf = (line: JsonObject, account: string): bigint =>
  quantityOf(line[limitField(line, account)])

export const currencyOf = (line: JsonObject): string => String((line["Balance"] as JsonObject)["currency"]) // always there

/** Whether the gateway has frozen the holder's line. */
export const isFrozen = (line: JsonObject, holder: string): boolean =>
  hasFlag(line, lineFlags.freeze[sideOf(line, holder) === 0 ? 1 : 0])

const lineBalance = (currency: string, low: bigint): JsonObject => ({
  currency,
  issuer: NEUTRAL_ISSUER,
  value: valueText(low)
})

/** What `account` can spend: XRP above its reserve, or tokens that are not frozen. */
export const spendable = (state: LedgerState, account: string, asset: Asset): bigint => {
  if (asset === "XRP") {
    const root = state.entry(accountKey(account)).fields
    const free =
      quantityOf(root["Balance"]) - RESERVE_BASE - RESERVE_INCREMENT * BigInt(Number(root["OwnerCount"]))
    return free > 0n ? free : 0n
  }
  const line = lineOf(state, account, asset)?.fields
  if (line === undefined || isFrozen(line, account)) return 0n
  const balance = balanceOf(line, account)
  return balance > 0n ? balance : 0n
}

/** Creates a line of `holder`, who pays its reserve. Rippling is on for the gateway's side and off for the holder's. */
export const createLine = (
  view: TransactionView,
  holder: string,
  token: Token,
  values: { readonly limit: bigint; readonly balance?: bigint }
): void => {
  const side = isLow(holder, token.issuer) ? 0 : 1
  const limits = [0n, 0n]
  limits[side] = values.limit
  const limit = (at: 0 | 1) => ({
    currency: token.currency,
    issuer: at === side ? holder : token.issuer,
    value: valueText(limits[at]!)
  })
  const noRipple = hasFlag(view.account(holder), lsfDefaultRipple) ? 0 : lineFlags.noRipple[side]
  const balance = values.balance ?? 0n
  view.create("RippleState", lineKey(holder, token.issuer, token.currency), {
    Balance: lineBalance(token.currency, side === 0 ? balance : -balance),
    Flags: lineFlags.reserve[side] | noRipple,
    HighLimit: limit(1),
    HighNode: "0",
    LowLimit: limit(0),
    LowNode: "0"
  })
  view.addOwned(holder, 1)
  view.expect("trustline.created")
}

/** Whether a side's settings differ from the default, so that this side pays the reserve. */
const needsReserve = (view: TransactionView, line: JsonObject, side: 0 | 1): boolean => {
  const account = sidesOf(line)[side === 0 ? "low" : "high"]
  const ripples = !hasFlag(line, lineFlags.noRipple[side])
  return (
    limitOf(line, account) > 0n ||
    balanceOf(line, account) > 0n ||
    hasFlag(line, lineFlags.freeze[side]) ||
    ripples !== hasFlag(view.account(account), lsfDefaultRipple)
  )
}

/** Changes a line, updates who pays its reserve, and removes it if both sides are in the default state. */
export const changeLine = (view: TransactionView, index: string, patch: Patch): void => {
  view.update(index, patch)
  const line = view.state.entry(index).fields
  const { low, high } = sidesOf(line)
  let flags = flagsOf(line)
  for (const side of [0, 1] as const) {
    const bit = lineFlags.reserve[side]
    const needed = needsReserve(view, line, side)
    if (needed === ((flags & bit) !== 0)) continue
    flags ^= bit
    view.addOwned(side === 0 ? low : high, needed ? 1 : -1)
  }
  if (flags !== flagsOf(line)) view.update(index, { Flags: flags })
  if ((flags & (lineFlags.reserve[0] | lineFlags.reserve[1])) !== 0) return
  view.remove(index)
  view.expect("trustline.deleted")
}

const addToLine = (view: TransactionView, holder: string, token: Token, quantity: bigint): void => {
  const line = lineOf(view.state, holder, token)
  if (line === undefined) {
    createLine(view, holder, token, { limit: 0n, balance: quantity })
    return
  }
  const low = quantityOf(line.fields["Balance"]) + (sideOf(line.fields, holder) === 0 ? quantity : -quantity)
  changeLine(view, line.index, { Balance: lineBalance(token.currency, low) })
}

/** Moves XRP or tokens. A receiver without a trust line gets one, as when an offer is filled. */
export const move = (
  view: TransactionView,
  from: string,
  to: string,
  asset: Asset,
  quantity: bigint
): void => {
  if (asset === "XRP") {
    view.addXrp(from, -quantity)
    view.addXrp(to, quantity)
    return
  }
  if (from !== asset.issuer) addToLine(view, from, asset, -quantity)
  if (to !== asset.issuer) addToLine(view, to, asset, quantity)
}
