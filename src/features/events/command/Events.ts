/** `ledgerhook events …`: exports the events that the log contains, and follows those of a service. */
import { Command } from "effect/cli"
import { exportEvents } from "../../export/Export.ts"
import { tail } from "./Tail.ts"

export const events = Command.make("events").pipe(
  Command.withDescription("Follow events, and export them to files"),
  Command.withSubcommands([tail, exportEvents])
)
