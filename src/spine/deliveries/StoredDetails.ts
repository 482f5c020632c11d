/**
 * How the details of an attempt are stored: as a JSON array without names, because every delivered row has one.
 */
import type { ExchangeDetails } from "../domain/Delivery.ts"

type Stored = readonly [
  connectMs: number | null,
  firstByteMs: number | null,
  totalMs: number,
  responseHeaders?: Readonly<Record<string, string>> | null,
  batchId?: string
]

export const storedDetails = (details: ExchangeDetails): string => {
  const { batchId, connectMs, firstByteMs, responseHeaders, totalMs } = details
  const timing = [connectMs, firstByteMs, totalMs] as const
  const stored: Stored =
    batchId !== undefined
      ? [...timing, responseHeaders, batchId]
      : responseHeaders === null
        ? timing
        : [...timing, responseHeaders]
  return JSON.stringify(stored)
}

/** `text` must come from `storedDetails`. */
export const detailsOf = (text: string): ExchangeDetails => {
  const [connectMs, firstByteMs, totalMs, responseHeaders = null, batchId] = JSON.parse(text) as Stored
  return {
    connectMs,
    firstByteMs,
    totalMs,
    responseHeaders,
    ...(batchId === undefined ? undefined : { batchId })
  }
}
