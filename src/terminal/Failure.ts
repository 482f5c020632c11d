/**
 * Exit codes and error output of commands: 0 success, 1 failure, 2 wrong usage (flags or settings). An expected failure
 * prints one line without a stack trace. A defect prints its cause with LOG_LEVEL=debug.
 */
import { Cause, Exit, Schema } from "effect"
import { CliError } from "effect/cli"
import { errorText } from "../spine/observe/Logging.ts"
import { printable } from "../spine/words/Printable.ts"

export const ExitCode = { fine: 0, failed: 1, usage: 2, interrupted: 130 } as const

/** Settings are not valid. One sentence for each problem. */
export class WrongSettings extends Schema.TaggedError<WrongSettings>()("WrongSettings", {
  messages: Schema.Array(Schema.String)
}) {}

/** Valid flags that cannot be used together, or not with these settings. */
export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", {
  message: Schema.String
}) {}

/** The command failed. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String
}) {}

/** `yield*` it to end the command with this message. */
export const failed = (message: string) => new CommandFailed({ message })
export const wrongUsage = (message: string) => new WrongUsage({ message })

/** The command failed and has printed why. */
export class FailureReported extends Schema.TaggedError<FailureReported>()("FailureReported", {}) {}

export interface Ending {
  readonly code: number
  /** Lines for standard error. */
  readonly lines: ReadonlyArray<string>
}

const oneLine = (text: string): string => {
  const line = text.trim().replace(/\s*\n\s*/g, " ")
  return `ledgerhook: ${printable(line, line.length)}`
}

const ofError = (error: unknown): Ending => {
  if (CliError.isCliError(error)) {
    // The presenter in Root.ts has printed what is wrong with the arguments.
    return { code: ExitCode.usage, lines: error._tag === "ShowHelp" ? [] : [oneLine(errorText(error))] }
  }
  if (error instanceof WrongSettings) return { code: ExitCode.usage, lines: error.messages.map(oneLine) }
  if (error instanceof WrongUsage) return { code: ExitCode.usage, lines: [oneLine(error.message)] }
  if (error instanceof FailureReported) return { code: ExitCode.failed, lines: [] }
  return { code: ExitCode.failed, lines: [oneLine(errorText(error))] }
}

const ofDefect = (defect: unknown, debug: boolean): Ending => ({
  code: ExitCode.failed,
  lines: debug
    ? [`ledgerhook: unexpected: ${Cause.pretty(Cause.die(defect))}`]
    : [`${oneLine(`unexpected: ${errorText(defect)}`)} (set LOG_LEVEL=debug to see where)`]
})

export const endingOf = (exit: Exit.Exit<unknown, unknown>, debug: boolean): Ending => {
  if (Exit.isSuccess(exit)) return { code: ExitCode.fine, lines: [] }
  const endings = exit.cause.reasons.flatMap((reason) =>
    Cause.isFailReason(reason)
      ? [ofError(reason.error)]
      : Cause.isDieReason(reason)
        ? [ofDefect(reason.defect, debug)]
        : []
  )
  if (endings.length === 0) return { code: ExitCode.interrupted, lines: [] }
  return {
    code: Math.max(...endings.map(({ code }) => code)),
    lines: [...new Set(endings.flatMap(({ lines }) => lines))]
  }
}
