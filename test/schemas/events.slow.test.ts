/** The published schemas accept the events of simulated ledgers, for more seeds than events.test.ts has. */
import { describe } from "@effect/vitest"
import { simulatedTests } from "./accepted.ts"

describe("schemas accept", () => {
  simulatedTests([2, 3, 4_000_000_000])
})
