/**
 * The log may go back: a failover to a standby that was behind, a restored copy, a topic that was deleted and made again.
 * What a process remembers of it (positions, views, the last ledger) is then wrong. So every part of the process starts
 * anew, from what the log and the database have. That is simpler and surer than to correct each memory.
 */
import { Context, Effect, Schema } from "effect"

export class LogWentBack extends Schema.TaggedError<LogWentBack>()("LogWentBack", {
  /** One sentence. */
  message: Schema.String
}) {}

/** `found`: what was remembered, and what the log has. */
export const logWentBack = (found: string) =>
  new LogWentBack({
    message: `The log went back (a failover to a standby that was behind, a restored copy, or a topic made again): ${found}. Every part of this process starts anew.`
  })

/** Tells the process to start its parts anew. Without a service around it, as in a test of one part, nothing happens. */
export class StartAnew extends Context.Reference<(because: LogWentBack) => Effect.Effect<void>>(
  "ledgerhook/log/StartAnew",
  { defaultValue: () => () => Effect.void }
) {}

/** Whether the parts start because the log of this process alone went back, with the database. */
export class LogIsBack extends Context.Reference<boolean>("ledgerhook/log/LogIsBack", {
  defaultValue: () => false
}) {}
