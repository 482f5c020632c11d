/**
 * trustline.*: trust lines that were created, changed in a setting, or deleted, seen from one of their sides
 * (docs/detection-rules.md 2.5). A change of the balance or of a reserve flag alone is no event.
 */
import type { JsonObject } from "../event/Ledger.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import type { Payload } from "../event/Payloads.ts"
import { negated, signOf } from "./Amounts.ts"
import {
  type Cause,
  type Draft,
  event,
  type Findings,
  type NodeDetector,
  nothing,
  type TransactionContext
} from "./Detector.ts"
import {
  currencyOf,
  flagsOf,
  hasFlag,
  need,
  needAddress,
  objectOf,
  tokenValueOf,
  uint32Of
} from "./Fields.ts"
import type { AffectedNode } from "./Nodes.ts"
import { limitValue, settingsChanges } from "./TrustLineChanges.ts"
import { type Side, sideFlags, sideNames } from "./TrustLineSides.ts"

const AMM_NODE = 0x0100_0000

const readCreated = (context: TransactionContext, node: AffectedNode): Findings => {
  const line = readLine(context, node)
  const auto_created = context.type !== "TrustSet"
  return [event("trustline.created", { ...line.payload, auto_created }, partiesOf(line))]
}

const readModified = (context: TransactionContext, node: AffectedNode): Findings => {
  const line = readLine(context, node)
  const changes = settingsChanges(context, node, line.own)
  const changed_by = context.account
  return [event("trustline.modified", { ...line.payload, changed_by, changes }, partiesOf(line))]
}

const readDeleted = (context: TransactionContext, node: AffectedNode): Findings => {
  const line = readLine(context, node)
  const name = sideNames[line.own].limit
  const previous_limit = node.previous[name] === undefined ? undefined : limitValue(node.previous, name)
  return [event("trustline.deleted", { ...line.payload, previous_limit }, partiesOf(line))]
}

const created: ReadonlyArray<Cause> = [{ type: "trustline.created", read: readCreated }]
const modified: ReadonlyArray<Cause> = [{ type: "trustline.modified", read: readModified }]
const deleted: ReadonlyArray<Cause> = [{ type: "trustline.deleted", read: readDeleted }]

export const trustLine: NodeDetector = (context, node) => {
  switch (node.change) {
    case "created":
      return created
    case "modified":
      return changesSettings(context, node) ? modified : nothing
    case "deleted":
      return deleted
  }
}

const changesSettings = (context: TransactionContext, node: AffectedNode): boolean => {
  // In most modified lines only the balance changed.
  if (!touchesSettings(context, node.previous)) return false
  // Only the first quality of a TrustSet depends on the side, and its sender is one of the sides.
  const issuer = isJsonObject(node.fields["HighLimit"]) ? node.fields["HighLimit"]["issuer"] : undefined
  return settingsChanges(context, node, issuer === context.account ? "high" : "low").length > 0
}

/** False if only the balance changed. A TrustSet may have added fields, which PreviousFields do not show. */
const touchesSettings = (context: TransactionContext, previous: JsonObject): boolean => {
  if (context.type === "TrustSet") return true
  for (const name in previous) if (name !== "Balance") return true
  return false
}

const partiesOf = ({ account, counterparty }: Line): ReadonlyArray<string> => [account, counterparty]

interface Line {
  /** The side of `account`. */
  readonly own: Side
  readonly account: string
  readonly counterparty: string
  /** The fields that all three events have. */
  readonly payload: Omit<Draft<Payload<"trustline.created">>, "auto_created">
}

const readLine = (context: TransactionContext, node: AffectedNode): Line => {
  const { fields } = node
  const limits = {
    low: need(objectOf(fields, "LowLimit"), "LowLimit"),
    high: need(objectOf(fields, "HighLimit"), "HighLimit")
  }
  const issuers = { low: needAddress(limits.low, "issuer"), high: needAddress(limits.high, "issuer") }
  const own = perspective(context, node, issuers)
  const peer = own === "low" ? "high" : "low"
  const balance = need(objectOf(fields, "Balance"), "Balance")
  const flags = flagsOf(fields)
  const mine = sideFlags[own]
  const theirs = sideFlags[peer]
  return {
    own,
    account: issuers[own],
    counterparty: issuers[peer],
    payload: {
      tx_hash: context.hash,
      trustline_id: node.id,
      account: issuers[own],
      counterparty: issuers[peer],
      currency: need(currencyOf(balance, "currency"), "currency"),
      limit: need(tokenValueOf(limits[own], "value"), "the limit"),
      limit_peer: need(tokenValueOf(limits[peer], "value"), "the limit"),
      balance: balanceFrom(own, need(tokenValueOf(balance, "value"), "the balance")),
      no_ripple: hasFlag(flags, mine.noRipple),
      no_ripple_peer: hasFlag(flags, theirs.noRipple),
      freeze: hasFlag(flags, mine.freeze),
      freeze_peer: hasFlag(flags, theirs.freeze),
      deep_freeze: hasFlag(flags, mine.deepFreeze),
      deep_freeze_peer: hasFlag(flags, theirs.deepFreeze),
      authorized: hasFlag(flags, mine.authorized),
      peer_authorized: hasFlag(flags, theirs.authorized),
      quality_in: uint32Of(fields, sideNames[own].qualityIn),
      quality_out: uint32Of(fields, sideNames[own].qualityOut),
      amm_pool: hasFlag(flags, AMM_NODE) ? true : undefined,
      tx_type: context.type
    }
  }
}

/** The side from which the event sees the line: the sender of a TrustSet, else the holder of the reserve. */
const perspective = (
  context: TransactionContext,
  node: AffectedNode,
  issuers: Readonly<Record<Side, string>>
): Side => {
  const signer: Side | undefined =
    context.account === issuers.low ? "low" : context.account === issuers.high ? "high" : undefined
  if (context.type === "TrustSet" && signer !== undefined) return signer
  const flags = flagsOf(node.previous["Flags"] === undefined ? node.fields : node.previous)
  const low = hasFlag(flags, sideFlags.low.reserve)
  const high = hasFlag(flags, sideFlags.high.reserve)
  if (low !== high) return low ? "low" : "high"
  return signer ?? "low"
}

/** The ledger stores the balance from the low side's view. */
const balanceFrom = (own: Side, text: string): string => {
  if (signOf(text) === 0) return "0"
  return own === "low" ? text : negated(text)
}
