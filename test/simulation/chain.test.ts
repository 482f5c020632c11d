/** The whole chain with faults, by a few seeds. chain.slow.test.ts has more. */
import { chainTests } from "./chainTests.ts"

const SEEDS = 4
const FAILOVERS = 2
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

chainTests(upTo(SEEDS), upTo(FAILOVERS))
