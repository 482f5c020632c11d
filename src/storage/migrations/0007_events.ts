/** The event log that GET /v1/events reads. */
import { Effect } from "effect"

export default Effect.void
