/** `ledgerhook events …`. What stands under it comes from the features. */
import { Command } from "effect/cli"

export const events = Command.make("events").pipe(
  Command.withDescription("Follow events, and export them to files")
)
