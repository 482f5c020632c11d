/**
 * Ledgers per second over the last `catchUpRateWindowMs`, and the time left until the head, which moves meanwhile, from
 * samples. Pure.
 */

/** The time over which the rate is averaged. */
const WINDOW_MS = 30_000

interface Sample {
  /** Milliseconds of the monotonic clock. */
  readonly at: number
  readonly lastTaken: number
  /** The newest ledger of the servers; undefined if none was announced yet. */
  readonly head: number | undefined
}

/** Oldest first: at most one a second, plus the newest. */
export type ProgressSamples = ReadonlyArray<Sample>

const SPACING_MS = 1_000
const SECOND_MS = 1_000

export const addSample = (samples: ProgressSamples, added: Sample): ProgressSamples => {
  const { at } = added
  const recent = samples.filter((sample) => at - sample.at <= WINDOW_MS)
  const newest = recent.at(-1)
  const before = recent.at(-2)
  const kept =
    newest !== undefined && before !== undefined && newest.at - before.at < SPACING_MS
      ? recent.slice(0, -1)
      : recent
  return [...kept, added]
}

/** Undefined while the samples cover less than a second. */
export const ledgersPerSecond = (samples: ProgressSamples, now: number): number | undefined => {
  const oldest = samples[0]
  const newest = samples.at(-1)
  if (oldest === undefined || newest === undefined || now - oldest.at < SPACING_MS) return undefined
  return Math.round(((newest.lastTaken - oldest.lastTaken) / (now - oldest.at)) * 10_000) / 10
}

export interface Remaining {
  readonly ledgers: number
  readonly ledgers_per_second: number | undefined
  /** Undefined while it is unknown, or ledgers close as fast as they are taken. */
  readonly seconds: number | undefined
}

export const remaining = (samples: ProgressSamples, head: number, now: number): Remaining => {
  const rate = ledgersPerSecond(samples, now)
  const ledgers = Math.max(0, head - (samples.at(-1)?.lastTaken ?? head))
  const before = samples.find((sample) => sample.head !== undefined)
  const closed = before?.head === undefined ? 0 : (head - before.head) / ((now - before.at) / SECOND_MS)
  const fewerPerSecond = (rate ?? 0) - closed
  return {
    ledgers,
    ledgers_per_second: rate,
    seconds: ledgers === 0 ? 0 : fewerPerSecond > 0 ? Math.ceil(ledgers / fewerPerSecond) : undefined
  }
}
