/** What a command knows of how it was called: the environment as main.ts read it, and whether people look at it. */
import { Context, Effect, Layer } from "effect"
import { type Environment, loadSettings, Settings } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import * as Logging from "../../observability/Logging.ts"
import { WrongSettings } from "./Failure.ts"

export interface InvocationShape {
  /** Environment variables, and below them those of `.env`. */
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
  const loaded = loadSettings(environment)
  if ("port" in loaded) return loaded
  return yield* new WrongSettings({ messages: loaded.map(({ message }) => message) })
})

/** Only commands that need settings read them, so that the others work whatever is set. */
export const settings = Layer.effect(
  Settings,
  Effect.flatMap(Invocation, ({ environment }) => settingsOf(environment))
)

/** As LOG_LEVEL and LOG_FORMAT say. A wrong value is told by those who read all settings; nobody else stumbles over it. */
export const logging = Layer.unwrap(
  Effect.gen(function* () {
    const { environment, stderrTerminal } = yield* Invocation
    const format = environment["LOG_FORMAT"]
    return Logging.layer({
      level: environment["LOG_LEVEL"] ?? "info",
      format: format === "pretty" || format === "json" ? format : stderrTerminal ? "pretty" : "json",
      colour: stderrTerminal && colourWanted(environment),
      repeats: Limits.repeatedMessages
    })
  })
)
