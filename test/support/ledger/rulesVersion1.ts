/**
 * The corpus's expected events are of version 1 of the rules. Fields that came later are compared with the transaction
 * itself, without detection, and then left out.
 */
import { assert } from "@effect/vitest"
import type { Json, JsonObject, LedgerTransaction } from "../../../src/spine/event/Ledger.ts"
import type { DetectedEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { isJsonObject } from "../../../src/spine/event/NormaliseLedger.ts"

/** The fields of version 2, with the value that the transaction and, where a node causes the event, its fields give. */
const laterFields = (
  { event_type, payload }: Pick<DetectedEvent, "event_type" | "payload">,
  { meta, tx }: LedgerTransaction
): Readonly<Record<string, Json | undefined>> => ({
  delegate: tx["Delegate"],
  parent_batch_id: meta["ParentBatchID"],
  sponsor: tx["SponsorSignature"] === undefined ? undefined : tx["Sponsor"],
  ...(event_type === "payment.xrp" && { source_tag: tx["SourceTag"], invoice_id: tx["InvoiceID"] }),
  ...(event_type.startsWith("dex.") && offerDomain(meta, payload["offer_id"])),
  // No escrow of the corpus had a transfer fee. What a token's issuer got is in no node.
  ...(event_type === "escrow.finished" && {
    delivered_amount: payload["delivered_amount"] && payload["amount"]
  })
})

/** The node's own fields, found without detection. */
const offerDomain = (meta: JsonObject, id: Json | undefined) => {
  const nodes = (meta["AffectedNodes"] as ReadonlyArray<JsonObject>).flatMap((node) => Object.values(node))
  const node = nodes.find((one) => isJsonObject(one) && one["LedgerIndex"] === id) as JsonObject
  const fields = (node["NewFields"] ?? node["FinalFields"]) as JsonObject
  const isHybrid = (Number(fields["Flags"] ?? 0) & 0x4_0000) !== 0
  return { domain_id: fields["DomainID"], is_hybrid: isHybrid ? true : undefined }
}

/** Fields that version 1 has too. */
const formerFields: Readonly<Record<string, ReadonlyArray<string>>> = { "dex.offer_created": ["domain_id"] }

/** How many events had each of the later fields. */
export const laterCounts: Record<string, number> = {}

/** Qualities that a TrustSet set beside another change; version 1 reported them only alone. */
const withoutQualities = (changes: Json | undefined, { tx }: LedgerTransaction): Json | undefined => {
  if (!Array.isArray(changes)) return changes
  const asked: Record<string, Json | undefined> = {
    quality_in: tx["QualityIn"],
    quality_out: tx["QualityOut"]
  }
  const former = changes.filter((change) => {
    if (!(change.field in asked) || change.previous !== undefined) return true
    assert.strictEqual(change.value, asked[change.field])
    return false
  })
  return former.length > 0 ? former : changes
}

/** The event as version 1 of the rules gives it, once its later fields have been compared. */
export const asVersion1 = <E extends Pick<DetectedEvent, "event_id" | "event_type" | "payload">>(
  event: E,
  transaction: LedgerTransaction
): E => {
  const payload: Record<string, Json> = { ...event.payload }
  for (const [name, value] of Object.entries(laterFields(event, transaction))) {
    if (formerFields[event.event_type]?.includes(name) === true) continue
    assert.deepStrictEqual(payload[name], value, `${name} of ${event.event_id}`)
    if (value !== undefined) laterCounts[name] = (laterCounts[name] ?? 0) + 1
    delete payload[name]
  }
  const changes = withoutQualities(payload["changes"], transaction)
  return { ...event, payload: changes === undefined ? payload : { ...payload, changes } }
}
