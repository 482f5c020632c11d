/** How rare an event may be in the simulated ledgers of any seed. */
import { showsEveryType } from "./ledgers.ts"

showsEveryType(10)
