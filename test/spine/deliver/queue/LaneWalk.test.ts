/** Random walks of an actor's lanes, by a few seeds. LaneWalk.slow.test.ts has more. */
import { laneWalks } from "./laneWalks.ts"

const SEEDS = 15

laneWalks(Array.from({ length: SEEDS }, (_, i) => i + 1))
