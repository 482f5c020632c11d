/**
 * How many units of a multi-purpose token (MPT) an account gained (docs/detection-rules.md 1.6, step 5). A holder has
 * an MPToken entry. An issuer has none: units that return to it cease to exist, so the outstanding amount falls.
 */
import { accountIdOfAddress } from "../event/AccountId.ts"
import type { JsonObject } from "../event/Ledger.ts"
import { type Scaled, scaled } from "./Amounts.ts"
import type { TransactionContext } from "./Detector.ts"
import { addressOf, uint32Of } from "./Fields.ts"
import type { AffectedNode } from "./Nodes.ts"

/** An issuance's id is the sequence of its creation (8 hex digits), then its issuer's account id. */
const SEQUENCE_DIGITS = 8

/** Undefined if the nodes do not show it. */
export const mptChange = (
  { nodes }: TransactionContext,
  receiver: string,
  issuanceId: string
): Scaled | undefined => {
  if (accountIdOfAddress(receiver) !== issuanceId.slice(SEQUENCE_DIGITS)) {
    const held = nodes.find(
      ({ fields, type }) =>
        type === "MPToken" &&
        fields["MPTokenIssuanceID"] === issuanceId &&
        addressOf(fields, "Account") === receiver
    )
    return held === undefined ? undefined : increase(held, "MPTAmount")
  }
  const sequence = Number.parseInt(issuanceId.slice(0, SEQUENCE_DIGITS), 16)
  const issuance = nodes.find(
    ({ change, fields, type }) =>
      type === "MPTokenIssuance" &&
      change === "modified" &&
      addressOf(fields, "Issuer") === receiver &&
      uint32Of(fields, "Sequence") === sequence
  )
  const increased = issuance === undefined ? undefined : increase(issuance, "OutstandingAmount")
  return increased === undefined ? undefined : -increased
}

/** A holder of 0 units has no MPTAmount, so its first units are in FinalFields only. */
const increase = ({ fields, previous }: AffectedNode, name: string): Scaled | undefined => {
  const before = unitsOf(previous, name)
  const after = unitsOf(fields, name)
  return before === undefined || after === undefined ? undefined : after - before
}

/** No leading zeros: older codecs write hex padded with zeros, which must not pass for a decimal number. */
const UNITS = /^(?:0|[1-9][0-9]{0,18})$/

const unitsOf = (fields: JsonObject, name: string): Scaled | undefined => {
  const units = fields[name]
  if (units === undefined) return 0n
  return typeof units === "string" && UNITS.test(units) ? scaled(units) : undefined
}
