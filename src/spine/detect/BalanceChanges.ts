/**
 * What a transaction changed in the balances of the accounts of its events (docs/detection-rules.md 6.2), exactly. A
 * ledger entry appears once in a transaction's nodes, so each node gives the change of one balance, and nothing is
 * summed. If a node cannot be read, or does not tell the former balance, there are no changes: better none than wrong.
 */
import { accountIdOfAddress } from "../event/AccountId.ts"
import { bookingBounds } from "../event/Booking.ts"
import type { JsonObject } from "../event/Ledger.ts"
import type { BalanceChange, DetectedEvent } from "../event/LedgerEvent.ts"
import { MPT_ISSUANCE_ID } from "../event/LedgerForms.ts"
import { difference, dropsOrZero, negated } from "./Amounts.ts"
import type { TransactionContext } from "./Detector.ts"
import {
  addressOf,
  currencyOf,
  need,
  needAddress,
  objectOf,
  textField,
  tokenValueOf,
  uint32Of
} from "./Fields.ts"
import type { AffectedNode, EntryType } from "./Nodes.ts"

type Context = Pick<TransactionContext, "fault" | "nodes" | "type">
type Accounts = ReadonlySet<string>
type Add = (account: string, asset: BalanceChange["asset"], change: string) => void
/** `escrow`: the one that an EscrowFinish paid out. It is looked for once: a made-up ledger has any number of nodes. */
interface Cause {
  readonly type: string
  readonly escrow: AffectedNode | undefined
}
type Reader = (node: AffectedNode, accounts: Accounts, add: Add, cause: Cause) => void
type Changes = Pick<DetectedEvent, "balance_changes">

const unknown: Changes = {}
const unchanged: Changes = { balance_changes: [] }

/** `accounts`: of all events of the transaction. The result gives the changes of one event's accounts, in their order. */
export const balanceChanges = (
  context: Context,
  accounts: Accounts
): ((involved: ReadonlyArray<string>) => Changes) => {
  const found = changesOf(context, accounts)
  if (found === undefined) return () => unknown
  return (involved) => {
    const lists = involved.map((account) => found.get(account) ?? [])
    const count = lists.reduce((sum, { length }) => sum + length, 0)
    if (count > bookingBounds.balanceChanges) return unknown
    return count === 0 ? unchanged : { balance_changes: lists.flat() }
  }
}

/** By account, sorted by asset. Undefined if they are not known. */
const changesOf = (
  context: Context,
  accounts: Accounts
): ReadonlyMap<string, ReadonlyArray<BalanceChange>> | undefined => {
  if (context.fault !== undefined) return undefined
  const found = new Map<string, Array<BalanceChange>>()
  const add: Add = (account, asset, change) => {
    if (change === "0" || !accounts.has(account)) return
    const list = found.get(account)
    if (list === undefined) found.set(account, [{ account, asset, change }])
    else list.push({ account, asset, change })
  }
  const { nodes, type } = context
  const escrow =
    type === "EscrowFinish"
      ? nodes.find((node) => node.type === "Escrow" && node.change === "deleted")
      : undefined
  const cause = { type, escrow }
  try {
    for (const node of nodes) readers[node.type]?.(node, accounts, add, cause)
  } catch {
    return undefined
  }
  for (const list of found.values()) if (list.length > 1) list.sort(byAsset)
  return found
}

const byAsset = (a: BalanceChange, b: BalanceChange): number => (orderOf(a) < orderOf(b) ? -1 : 1)

const orderOf = ({ asset }: BalanceChange): string => {
  if (asset === "XRP") return "0"
  return "currency" in asset ? `1${asset.currency} ${asset.issuer}` : `2${asset.mpt_issuance_id}`
}

/** The balance of an account always has a value: if Previous lists none, it is unchanged. */
const readAccount: Reader = ({ change, fields, previous }, accounts, add) => {
  if (change !== "created" && previous["Balance"] === undefined) return
  const account = needAddress(fields, "Account")
  if (!accounts.has(account)) return
  // Only a created entry leaves out 0.
  if (change !== "created") need(fields["Balance"], "Balance")
  add(account, "XRP", difference(dropsOrZero(fields, "Balance"), dropsOrZero(previous, "Balance")))
}

/** The balance of a line is the low side's view. */
const readLine: Reader = ({ change, fields, previous }, accounts, add) => {
  const former = objectOf(previous, "Balance")
  if (change !== "created" && former === undefined) return
  const low = needAddress(need(objectOf(fields, "LowLimit"), "LowLimit"), "issuer")
  const high = needAddress(need(objectOf(fields, "HighLimit"), "HighLimit"), "issuer")
  if (!accounts.has(low) && !accounts.has(high)) return
  const balance = need(objectOf(fields, "Balance"), "Balance")
  const currency = need(currencyOf(balance, "currency"), "currency")
  const gained = difference(tokenOf(balance), former === undefined ? "0" : tokenOf(former))
  add(low, { currency, issuer: high }, gained)
  add(high, { currency, issuer: low }, negated(gained))
}

const tokenOf = (balance: JsonObject): string => need(tokenValueOf(balance, "value"), "value")

/** No leading zeros: older codecs write hex padded with zeros, which must not pass for a decimal number. */
const unitsOf = textField((text) => /^(?:0|[1-9][0-9]{0,18})$/.test(text), "a number of units")
const issuanceOf = textField((text) => MPT_ISSUANCE_ID.test(text), "the id of an issuance")

const readHolding: Reader = (node, accounts, add, cause) => {
  const { fields } = node
  const account = needAddress(fields, "Account")
  if (!accounts.has(account)) return
  const mpt_issuance_id = need(issuanceOf(fields, "MPTokenIssuanceID"), "MPTokenIssuanceID")
  const after = unitsOf(fields, "MPTAmount") ?? "0"
  add(account, { mpt_issuance_id }, difference(after, formerUnits(node, after, account, cause)))
}

/**
 * An entry without units has no MPTAmount, so Previous lists neither 0 nor an unchanged number. What else has changed
 * tells which it was.
 */
const formerUnits = (
  { change, previous }: AffectedNode,
  after: string,
  account: string,
  { escrow, type }: Cause
): string => {
  const former = unitsOf(previous, "MPTAmount")
  if (former !== undefined || change === "created") return former ?? "0"
  if (after === "0") return "0"
  const changed = Object.keys(previous).join()
  if (changed === "" && !/^(?:Confidential)?MPT/.test(type)) return "0"
  if (changed === "Flags") return after
  if (changed === "LockedAmount" && type === "EscrowCancel") return "0"
  if (changed === "LockedAmount" && type === "EscrowFinish") {
    const destination = escrow && addressOf(escrow.fields, "Destination")
    return need(destination, "Destination") === account ? "0" : after
  }
  throw new Error("the former MPTAmount is not known")
}

const SEQUENCE_DIGITS = 8

/** Units that return to the issuer cease to exist. */
const readIssuance: Reader = ({ fields, previous }, accounts, add) => {
  const before = unitsOf(previous, "OutstandingAmount")
  if (before === undefined) return
  const issuer = needAddress(fields, "Issuer")
  if (!accounts.has(issuer)) return
  const sequence = need(uint32Of(fields, "Sequence"), "Sequence").toString(16).padStart(SEQUENCE_DIGITS, "0")
  const mpt_issuance_id = sequence.toUpperCase() + need(accountIdOfAddress(issuer), "Issuer")
  add(
    issuer,
    { mpt_issuance_id },
    difference(before, need(unitsOf(fields, "OutstandingAmount"), "OutstandingAmount"))
  )
}

const readers: Readonly<Partial<Record<EntryType, Reader>>> = {
  AccountRoot: readAccount,
  MPToken: readHolding,
  MPTokenIssuance: readIssuance,
  RippleState: readLine
}
