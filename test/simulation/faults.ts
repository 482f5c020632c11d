/** The faults of one run, by seed: how often each kind happens. In the quiet phase none does. */
import type { SeededRandom } from "../../src/simulator/SeededRandom.ts"
import type { ServerFaults } from "./ledgerServers.ts"
import type { LogFaults } from "./logClient.ts"
import type { Fate, StoreFaults } from "./store.ts"

export interface Faults {
  readonly store: Omit<StoreFaults, "dies" | "isQuiet">
  readonly log: Omit<LogFaults, "landed">
  readonly servers: ServerFaults
  /** How often a process is killed, frozen or stopped, or loses partitions: the chance at each step. */
  readonly processes: number
  /** Whether the process dies at once after a write has landed: more often if that recorded attempts or moved retries. */
  readonly diesAfterWrite: (oftener: boolean) => boolean
  /** Until then the database or the log fails every write. */
  storeDownUntilMs: number
  logDownUntilMs: number
  quiet: boolean
}

const rates = [0, 0, 0.02, 0.1]
const SLOW = 0.02
/** A crash between the record of an attempt and its retry, or between two retries that wait, is rare otherwise. */
const OFTENER = 12

export const makeFaults = (chance: SeededRandom, nowMs: () => number): Faults => {
  const rate = () => chance.pick(rates)
  const [store, log, reads, lying, lacks] = [rate(), rate(), rate(), chance.pick([0, 0.2, 0.5]), rate()]
  const deadly = chance.pick([0, 0, 0.01, 0.03])
  const slow = chance.flip(0.5) ? SLOW : 0

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
      fate: () => fate(log, faults.logDownUntilMs),
      readFails: () => !faults.quiet && (nowMs() < faults.logDownUntilMs || chance.flip(reads / 5))
    },
    servers: {
      lying: () => (faults.quiet ? 0 : lying),
      lacks: () => (faults.quiet ? 0 : lacks)
    },
    processes: chance.pick([0, 0.1, 0.3]),
    diesAfterWrite: (oftener) => !faults.quiet && chance.flip(oftener ? deadly * OFTENER : deadly),
    storeDownUntilMs: 0,
    logDownUntilMs: 0,
    quiet: false
  }
  return faults
}
