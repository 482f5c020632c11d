/** What accounts have used of their monthly quota, and mails to be sent. */
import { Effect } from "effect"

export default Effect.void
