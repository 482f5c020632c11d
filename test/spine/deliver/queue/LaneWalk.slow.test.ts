/** Random walks of an actor's lanes, by many seeds. LaneWalk.test.ts has the first few. */
import { laneWalks } from "./laneWalks.ts"

const SEEDS = 60

laneWalks(Array.from({ length: SEEDS }, (_, i) => i + 1))
