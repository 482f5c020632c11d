/** The whole chain with faults, by a few seeds. chain.slow.test.ts has more. */
import { chainTests } from "./chainTests.ts"

const SEEDS = 4

chainTests(Array.from({ length: SEEDS }, (_, i) => i + 1))
