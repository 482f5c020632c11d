/** The faults of one run, by seed: how often each kind happens. In the quiet phase none does. */
import type { SeededRandom } from "../../src/features/simulator/SeededRandom.ts"
import type { ServerFaults } from "./world/ledgerServers.ts"
import type { LogFaults } from "./world/logClient.ts"
import type { Fate, StoreFaults } from "./world/store.ts"

export interface Faults {
  readonly store: Omit<StoreFaults, "dies" | "isQuiet">
  readonly log: Omit<LogFaults, "landed" | "sent" | "taken">
  readonly servers: ServerFaults
  /** How often a process is killed, frozen or stopped, or loses partitions: the chance at each step. */
  readonly processes: number
  /** Whether the process dies at once after that write has landed. */
  readonly diesAfterWrite: (write: keyof typeof DEADLY) => boolean
  /** Until then the database or the log fails every write. */
  storeDownUntilMs: number
  logDownUntilMs: number
  quiet: boolean
}

const rates = [0, 0, 0.02, 0.1]
const SLOW = 0.02
/**
 * How many times as often a process dies after these writes. A crash between a retry and the record of its attempt,
 * between that record or the row of a delivery that waits and the commit of its offset, between two retries that wait,
 * or between history and its row is rare otherwise.
 */
const DEADLY = { other: 1, attempts: 12, waiting: 12, retries: 12, history: 30 } as const

export const makeFaults = (chance: SeededRandom, nowMs: () => number): Faults => {
  const rate = () => chance.pick(rates)
  const [store, log, reads, lying, lacks] = [rate(), rate(), rate(), chance.pick([0, 0.2, 0.5]), rate()]
  const deadly = chance.pick([0, 0, 0.01, 0.03])
  const slow = chance.flip(0.5) ? SLOW : 0
  const freezing = chance.pick([0, 0, 0, 0.1])

  const fate = (probability: number, downUntilMs: number): Fate => {
    if (faults.quiet) return "lands"
    if (nowMs() < downUntilMs) return "fails"
    if (!chance.flip(probability)) return "lands"
    return chance.flip(0.5) ? "fails" : "lands and fails"
  }
  const delayMs = () => (!faults.quiet && chance.flip(slow) ? chance.int(1, 40) * 100 : chance.int(1, 4))

  const faults: Faults = {
    store: { delayMs, fate: () => fate(store, faults.storeDownUntilMs) },
    log: {
      delayMs,
      freezes: () => !faults.quiet && chance.flip(freezing),
      fate: () => fate(log, faults.logDownUntilMs),
      readFails: () => !faults.quiet && (nowMs() < faults.logDownUntilMs || chance.flip(reads / 5))
    },
    servers: {
      lying: () => (faults.quiet ? 0 : lying),
      lacks: () => (faults.quiet ? 0 : lacks)
    },
    processes: chance.pick([0, 0.1, 0.3]),
    diesAfterWrite: (write) => !faults.quiet && chance.flip(deadly * DEADLY[write]),
    storeDownUntilMs: 0,
    logDownUntilMs: 0,
    quiet: false
  }
  return faults
}
