/** Resolves when the event loop has handled what was waiting for it. */
import { Effect } from "effect"

export const nextEventLoop = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
