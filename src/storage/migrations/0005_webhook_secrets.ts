/** Secrets in their grace after a rotation, and the events of test deliveries. */
import { Effect } from "effect"

export default Effect.void
