/** TrustSet: new lines, changed limits, freezes by the gateway, rippling flags of the holder, and removals. */
import { amountOf, UNIT } from "../IntegerAmounts.ts"
import type { Draft, Scenario } from "../Scenario.ts"
import type { Patch } from "../TransactionView.ts"
import {
  changeLine,
  createLine,
  flagsOf,
  limitField,
  lineFlags,
  lineOf,
  sideOf
} from "../TrustLineBalances.ts"
import { type Holding, holdings, type TradedToken, type World } from "../World.ts"

const tfSetNoRipple = 0x00020000
const tfClearNoRipple = 0x00040000
const tfSetFreeze = 0x00100000
const tfClearFreeze = 0x00200000

const trustSet = (account: string, peer: string, token: TradedToken, limit: bigint, flags: number) => ({
  TransactionType: "TrustSet",
  Account: account,
  Flags: flags,
  LimitAmount: amountOf({ ...token, issuer: peer }, limit)
})

const newLine = (world: World): Draft | undefined => {
  const token = world.random.pick(world.tokens)
  const holder = world.random.pickOrNone(
    world.people.filter((person) => lineOf(world.state, person, token) === undefined)
  )
  if (holder === undefined) return undefined
  const limit = BigInt(world.random.int(1, 100) * 1_000) * UNIT
  return {
    tx: trustSet(holder, token.issuer, token, limit, tfSetNoRipple),
    apply: (view) => createLine(view, holder, token, { limit })
  }
}

const modified = (account: string, found: Holding, limit: bigint, flags: number, patch: Patch): Draft => ({
  tx: trustSet(
    account,
    account === found.holder ? found.token.issuer : found.holder,
    found.token,
    limit,
    flags
  ),
  apply: (view) => {
    changeLine(view, found.line.index, patch)
    // If the line was removed, `changeLine` has added that event already.
    if (view.state.get(found.line.index) !== undefined) view.expect("trustline.modified")
  }
})

const newLimit = (world: World): Draft | undefined => {
  const found = world.random.pickOrNone(holdings(world, ({ balance, limit }) => balance > 0n && limit > 0n))
  if (found === undefined) return undefined
  const { holder, line, token } = found
  // A limit of zero with a balance left: the line stays until the balance has been redeemed.
  const limit = world.random.flip(0.25) ? 0n : found.limit + BigInt(world.random.int(1, 500)) * UNIT
  return modified(holder, found, limit, 0, {
    [limitField(line.fields, holder)]: amountOf({ ...token, issuer: holder }, limit)
  })
}

/** How many lines a gateway freezes at most, so that the others can still trade. */
const FROZEN_MOST = 5

const freeze = (world: World): Draft | undefined => {
  const frozen = holdings(world, (holding) => holding.frozen)
  const thaws = frozen.length >= FROZEN_MOST || (frozen.length > 0 && world.random.flip(0.5))
  const found = thaws
    ? world.random.pick(frozen)
    : world.random.pickOrNone(holdings(world, (holding) => !holding.frozen))
  if (found === undefined) return undefined
  const { line, token } = found
  const bit = lineFlags.freeze[sideOf(line.fields, token.issuer)]
  return modified(token.issuer, found, 0n, thaws ? tfClearFreeze : tfSetFreeze, {
    Flags: flagsOf(line.fields) ^ bit
  })
}

const rippling = (world: World): Draft | undefined => {
  const found = world.random.pickOrNone(holdings(world, ({ balance, limit }) => balance >= 0n && limit > 0n))
  if (found === undefined) return undefined
  const { holder, line } = found
  const bit = lineFlags.noRipple[sideOf(line.fields, holder)]
  const set = (flagsOf(line.fields) & bit) === 0
  return modified(holder, found, found.limit, set ? tfSetNoRipple : tfClearNoRipple, {
    Flags: flagsOf(line.fields) ^ bit
  })
}

const removeLine = (world: World): Draft | undefined => {
  const found = world.random.pickOrNone(holdings(world, ({ balance, frozen }) => balance === 0n && !frozen))
  if (found === undefined) return undefined
  const { holder, line, token } = found
  const side = sideOf(line.fields, holder)
  return {
    tx: trustSet(holder, token.issuer, token, 0n, tfSetNoRipple),
    apply: (view) => {
      changeLine(view, line.index, {
        [limitField(line.fields, holder)]: amountOf({ ...token, issuer: holder }, 0n),
        Flags: flagsOf(line.fields) | lineFlags.noRipple[side]
      })
    }
  }
}

export const trustLines: ReadonlyArray<Scenario> = [
  { name: "new trust line", weight: 4, draft: newLine },
  { name: "other limit", weight: 2, draft: newLimit },
  { name: "freeze", weight: 2, draft: freeze },
  { name: "rippling", weight: 1, draft: rippling },
  { name: "trust line removed", weight: 2, draft: removeLine }
]
