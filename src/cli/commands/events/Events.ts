/** `ledgerhook events …`: the events that the log contains. */
import { Command } from "effect/cli"
import { exportEvents } from "./Export.ts"

export const events = Command.make("events").pipe(
  Command.withDescription("Export events to files"),
  Command.withSubcommands([exportEvents])
)
