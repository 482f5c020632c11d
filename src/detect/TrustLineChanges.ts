/**
 * The settings of a trust line that a transaction changed (docs/detection-rules.md 2.5), sorted by field name. An
 * empty list means that no setting changed.
 */
import type { Json, JsonObject } from "../domain/Ledger.ts"
import { sameValue } from "./Amounts.ts"
import { flagsOf, hasFlag, need, objectOf, tokenValueOf, uint32Of, withoutAbsent } from "./Fields.ts"
import type { TransactionContext } from "./Finding.ts"
import type { AffectedNode } from "./Nodes.ts"
import { type Side, sideFlags, sideNames } from "./TrustLineSides.ts"

type Entry = JsonObject | undefined

/** `own` is the side from which the event sees the line. */
export const settingsChanges = (
  context: TransactionContext,
  node: AffectedNode,
  own: Side
): ReadonlyArray<Json> => {
  const peer = own === "low" ? "high" : "low"
  const mine = sideFlags[own]
  const theirs = sideFlags[peer]
  const entries = [
    flagEntry(node, "authorized", mine.authorized),
    flagEntry(node, "deep_freeze", mine.deepFreeze),
    flagEntry(node, "deep_freeze_peer", theirs.deepFreeze),
    flagEntry(node, "freeze", mine.freeze),
    flagEntry(node, "freeze_peer", theirs.freeze),
    limitEntry(node, "limit", sideNames[own].limit),
    limitEntry(node, "limit_peer", sideNames[peer].limit),
    flagEntry(node, "no_ripple", mine.noRipple),
    flagEntry(node, "no_ripple_peer", theirs.noRipple),
    flagEntry(node, "peer_authorized", theirs.authorized),
    qualityEntry(node, "quality_in", sideNames[own].qualityIn),
    qualityEntry(node, "quality_in_peer", sideNames[peer].qualityIn),
    qualityEntry(node, "quality_out", sideNames[own].qualityOut),
    qualityEntry(node, "quality_out_peer", sideNames[peer].qualityOut)
  ]
  const changes = entries.filter((entry) => entry !== undefined)
  return changes.length > 0 ? changes : firstQualities(context, node, own)
}

const flagEntry = (node: AffectedNode, field: string, bit: number): Entry => {
  if (node.previous["Flags"] === undefined) return undefined
  const previous = hasFlag(flagsOf(node.previous), bit)
  const value = hasFlag(need(uint32Of(node.fields, "Flags"), "Flags"), bit)
  return previous === value ? undefined : { field, previous, value }
}

const limitEntry = (node: AffectedNode, field: string, name: string): Entry => {
  if (node.previous[name] === undefined) return undefined
  const previous = limitValue(node.previous, name)
  const value = limitValue(node.fields, name)
  return sameValue(previous, value) ? undefined : { field, previous, value }
}

export const limitValue = (fields: JsonObject, name: string): string =>
  need(tokenValueOf(need(objectOf(fields, name), name), "value"), `the value of ${name}`)

const qualityEntry = (node: AffectedNode, field: string, name: string): Entry => {
  const previous = uint32Of(node.previous, name)
  if (previous === undefined) return undefined
  const value = uint32Of(node.fields, name)
  return previous === value ? undefined : withoutAbsent({ field, previous, value })
}

/**
 * PreviousFields never list added fields. A first quality is assumed if a TrustSet asked for it and no other change
 * explains why the line is among the nodes.
 */
const firstQualities = (context: TransactionContext, node: AffectedNode, own: Side): ReadonlyArray<Json> => {
  if (context.type !== "TrustSet") return []
  const entries = [
    firstQuality(context.tx, node, "quality_in", "QualityIn", sideNames[own].qualityIn),
    firstQuality(context.tx, node, "quality_out", "QualityOut", sideNames[own].qualityOut)
  ]
  return entries.filter((entry) => entry !== undefined)
}

const firstQuality = (
  tx: JsonObject,
  node: AffectedNode,
  field: string,
  asked: string,
  name: string
): Entry => {
  const value = uint32Of(node.fields, name)
  const isFirst = (uint32Of(tx, asked) ?? 0) !== 0 && node.previous[name] === undefined
  return isFirst && value !== undefined ? { field, value } : undefined
}
