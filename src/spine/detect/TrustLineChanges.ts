/**
 * The settings of a trust line that a transaction changed (docs/detection-rules.md 2.5), sorted by field name. An
 * empty list means that no setting changed.
 */
import type { Json, JsonObject } from "../event/Ledger.ts"
import { sameValue } from "./Amounts.ts"
import type { TransactionContext } from "./Detector.ts"
import {
  flagsOf,
  hasFlag,
  need,
  noFields,
  objectOf,
  tokenValueOf,
  uint32Of,
  withoutAbsent
} from "./Fields.ts"
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
  const { tx, type } = context
  const asked = type === "TrustSet" ? tx : noFields
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
    qualityEntry(node, "quality_in", sideNames[own].qualityIn, uint32Of(asked, "QualityIn")),
    qualityEntry(node, "quality_in_peer", sideNames[peer].qualityIn, undefined),
    qualityEntry(node, "quality_out", sideNames[own].qualityOut, uint32Of(asked, "QualityOut")),
    qualityEntry(node, "quality_out_peer", sideNames[peer].qualityOut, undefined)
  ]
  return entries.filter((entry) => entry !== undefined)
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

/**
 * `asked`: the quality that a TrustSet sets. PreviousFields never list added fields, so a quality that is set for the
 * first time has no `previous`, nor has one that is set again: the metadata do not show which it is.
 */
const qualityEntry = (node: AffectedNode, field: string, name: string, asked: number | undefined): Entry => {
  const previous = uint32Of(node.previous, name)
  const value = uint32Of(node.fields, name)
  if (previous === undefined) return isDefault(asked) || isDefault(value) ? undefined : { field, value }
  return previous === value ? undefined : withoutAbsent({ field, previous, value })
}

/** The quality that means "at par". The ledger stores none then. */
const QUALITY_ONE = 1_000_000_000

const isDefault = (quality: number | undefined): quality is undefined =>
  quality === undefined || quality === 0 || quality === QUALITY_ONE
