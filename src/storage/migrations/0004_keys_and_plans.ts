/** Limits of accounts, and what each key has used of its windows (filled in by storage/KeyUsage). */
import { Effect } from "effect"

export default Effect.void
