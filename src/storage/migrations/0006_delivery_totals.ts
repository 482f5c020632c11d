/** Roll-ups of deliveries by time, and the indexes of their filters. */
import { Effect } from "effect"

export default Effect.void
