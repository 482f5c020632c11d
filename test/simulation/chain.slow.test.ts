/** The whole chain with faults, by the seeds that found a bug and many more. */
import { chainTests } from "./chainTests.ts"

/**
 * Seeds that found a bug, and the bug. Each change of the simulated world gives them another run, so each bug has a
 * test of its own too (docs/reliability.md).
 */
const keptSeeds = new Map([
  [1, "a process that waits for a lease could not be stopped"],
  [146, "a delivery that was queued while its webhook was deleted stayed pending after a jump of the clock"],
  [172, "a retry that a crash kept from the log waited for as long as its process's clock had been ahead"],
  [20_111, "a retry that was being appended while the clock was set back waited for as long as the step"]
])
const MORE = 64
const FAILOVERS = 24
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

chainTests(new Set([...keptSeeds.keys(), ...upTo(MORE)]), upTo(FAILOVERS))
