/**
 * What the response to a batch means for each of its deliveries.
 *
 *   2xx that names failed deliveries   those failed; all others are delivered
 *   207 that names none readably       all failed: the receiver says that some did
 *   any other 2xx                      all are delivered
 *   anything else, or no response      all failed
 *
 * Ids of other deliveries are ignored. A list that was not read to its end is not readable. Pure.
 */
import { Limits } from "../../config/Limits.ts"
import { failedDeliveries } from "../../domain/Batch.ts"
import type { AttemptOutcome } from "../../domain/Delivery.ts"

const MULTI_STATUS = 207

export const batchOutcomes = (
  outcome: AttemptOutcome,
  batchId: string,
  deliveryIds: ReadonlyArray<string>
): ReadonlyArray<AttemptOutcome> => {
  const { details, responseBody, responseStatus } = outcome
  const all: AttemptOutcome = {
    ...outcome,
    responseBody: responseBody?.slice(0, Limits.batchResponseCharacters) ?? null,
    ...(details === undefined ? undefined : { details: { ...details, batchId } })
  }
  const failed = outcome.delivered && responseBody !== null ? failedDeliveries(responseBody) : undefined
  if (outcome.delivered && responseStatus === MULTI_STATUS && failed === undefined) {
    const unclear = {
      ...all,
      delivered: false,
      error: `HTTP ${MULTI_STATUS} without a list of failed deliveries`
    }
    return deliveryIds.map(() => unclear)
  }
  const listed = {
    ...all,
    delivered: false,
    answered: true,
    error: `listed as failed (HTTP ${responseStatus})`
  }
  return deliveryIds.map((id) => (failed?.has(id) === true ? listed : all))
}
