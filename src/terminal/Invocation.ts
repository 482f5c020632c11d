/** How a command was called: the environment, as main.ts read it, and whether stdout and stderr are terminals. */

import { Context, Effect, Layer } from "effect"
import { type Environment, FeatureSettings, loadSettings, Settings } from "../spine/config/Config.ts"
import * as Logging from "../spine/observe/Logging.ts"
import { WrongSettings } from "./Failure.ts"
import { terminalLimits } from "./Limits.ts"

export interface InvocationShape {
  /** Environment variables; those of `.env` fill in what is not set. */
  readonly environment: Environment
  readonly stdoutTerminal: boolean
  readonly stderrTerminal: boolean
}

export class Invocation extends Context.Service<Invocation, InvocationShape>()("ledgerhook/cli/Invocation") {}

/** https://no-color.org */
const colourWanted = (environment: Environment): boolean => (environment["NO_COLOR"] ?? "") === ""

export const stdoutColour = (invocation: InvocationShape): boolean =>
  invocation.stdoutTerminal && colourWanted(invocation.environment)

export const settingsOf = Effect.fnUntraced(function* (environment: Environment) {
  const loaded = loadSettings(environment, yield* FeatureSettings)
  if ("port" in loaded) return loaded
  return yield* new WrongSettings({ messages: loaded.map(({ message }) => message) })
})

/** Read only by commands that need settings, so that the others work even if a setting is not valid. */
export const settings = Layer.effect(
  Settings,
  Effect.flatMap(Invocation, ({ environment }) => settingsOf(environment))
)

/** Follows LOG_LEVEL and LOG_FORMAT. A value that is not valid is ignored here; `settings` reports it. */
export const logging = Layer.unwrap(
  Effect.gen(function* () {
    const { environment, stderrTerminal } = yield* Invocation
    const format = environment["LOG_FORMAT"]
    return Logging.layer({
      level: environment["LOG_LEVEL"] ?? "info",
      format: format === "pretty" || format === "json" ? format : stderrTerminal ? "pretty" : "json",
      colour: stderrTerminal && colourWanted(environment),
      repeats: terminalLimits.repeatedMessages
    })
  })
)
