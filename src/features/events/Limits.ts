/** Limits of reading stored events. */

export const eventLimits = {
  /** A preview of the last day: events whose payloads it examines, bars of its chart, and matches it shows. */
  previewCandidates: 5_000,
  previewParts: 48,
  previewDaySamples: 3
} as const
