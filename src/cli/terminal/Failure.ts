/**
 * How a command ends when it does not end well: what is printed and the exit code. 0 fine, 1 failed, 2 wrong usage
 * (flags or settings). One line for each expected failure, without a stack; a defect shows its cause at
 * LOG_LEVEL=debug.
 */
import { Cause, Exit, Schema } from "effect"
import { CliError } from "effect/cli"
import { printable } from "../../domain/Printable.ts"
import { errorText } from "../../observability/Logging.ts"

export const ExitCode = { fine: 0, failed: 1, usage: 2, interrupted: 130 } as const

/** Settings that cannot be used: one sentence each. */
export class WrongSettings extends Schema.TaggedError<WrongSettings>()("WrongSettings", {
  messages: Schema.Array(Schema.String)
}) {}

/** Flags that are good by themselves and cannot be used together, or with these settings. */
export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", {
  message: Schema.String
}) {}

/** A command could not do what was asked. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String
}) {}

/** For `yield*`: ends the command with that sentence. */
export const failed = (message: string) => new CommandFailed({ message })
export const wrongUsage = (message: string) => new WrongUsage({ message })

/** As `CommandFailed`, but what went wrong was printed already. */
export class FailureReported extends Schema.TaggedError<FailureReported>()("FailureReported", {}) {}

export interface Ending {
  readonly code: number
  /** For standard error. */
  readonly lines: ReadonlyArray<string>
}

const oneLine = (text: string): string => {
  const line = text.trim().replace(/\s*\n\s*/g, " ")
  return `ledgerhook: ${printable(line, line.length)}`
}

const ofError = (error: unknown): Ending => {
  if (CliError.isCliError(error)) {
    // The presenter has printed what is wrong with the arguments.
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
    : [`${oneLine(`unexpected: ${errorText(defect)}`)} (LOG_LEVEL=debug shows where)`]
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
