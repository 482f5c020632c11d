/**
 * Messages of the program, on standard error so that standard output stays a command's own: coloured lines for people,
 * or one JSON object a line. What belongs to a message comes as annotations, and keeps its names in both forms.
 */
import { Cause, Formatter, Layer, Logger, type LogLevel, References } from "effect"

export interface LoggingOptions {
  /** `debug`, `info`, `warn` or `error`: the least severe that is written. At `debug`, causes come with their stacks. */
  readonly level: string
  readonly format: "pretty" | "json"
  readonly colour: boolean
}

export interface LogEntry {
  readonly date: Date
  readonly level: LogLevel.LogLevel
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
  readonly cause: string | undefined
}

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

/** ANSI colour of a level; the others have none. */
const colours: Readonly<Record<string, number>> = { Debug: 90, Info: 32, Warn: 33, Error: 31, Fatal: 31 }

const fieldsOf = (error: object): string =>
  Object.entries(error)
    .filter(([name, value]) => name !== "_tag" && (typeof value !== "object" || value === null))
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")

/** One line for whatever was thrown or failed with: its message, else its name and plain fields. */
export const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error === "string" ? error : Formatter.formatJson(error)
  if (error.message !== "") return error.message
  const inner = error.cause === undefined ? "" : `: ${errorText(error.cause)}`
  return `${[error.name, fieldsOf(error)].filter((part) => part !== "").join(" ")}${inner}`
}

const plain = (value: unknown): unknown => (value instanceof Error ? errorText(value) : value)

const textOf = (value: unknown): string => {
  const shown = plain(value)
  return typeof shown === "string" ? shown : Formatter.formatJson(shown)
}

export const jsonLine = ({ date, level, message, annotations, cause }: LogEntry): string =>
  Formatter.formatJson({
    time: date.toISOString(),
    level: level.toLowerCase(),
    message,
    ...Object.fromEntries(Object.entries(annotations).map(([name, value]) => [name, plain(value)])),
    ...(cause === undefined ? {} : { cause })
  })

export const prettyLine =
  (colour: boolean) =>
  ({ date, level, message, annotations, cause }: LogEntry): string => {
    const paint = (code: number | undefined, text: string) =>
      colour && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text
    const fields = Object.entries(annotations).map(([name, value]) => paint(90, `${name}=${textOf(value)}`))
    const head = [
      paint(90, date.toISOString().slice(11, 23)),
      paint(colours[level], level.toUpperCase().padEnd(5)),
      message,
      ...fields
    ].join(" ")
    if (cause === undefined) return head
    return cause.includes("\n") ? `${head}\n${paint(90, cause)}` : `${head}: ${cause}`
  }

const logger = ({ level, format, colour }: LoggingOptions) => {
  const line = format === "json" ? jsonLine : prettyLine(colour)
  return Logger.make<unknown, string>(({ date, logLevel, message, cause, fiber }) =>
    line({
      date,
      level: logLevel,
      message: (Array.isArray(message) ? message : [message]).map(textOf).join(": "),
      annotations: fiber.getRef(References.CurrentLogAnnotations),
      cause:
        cause.reasons.length === 0
          ? undefined
          : level === "debug"
            ? Cause.pretty(cause)
            : Cause.prettyErrors(cause).map(errorText).join("; ")
    })
  )
}

export const layer = (options: LoggingOptions): Layer.Layer<never> =>
  Layer.merge(
    Logger.layer([Logger.withConsoleError(logger(options))]),
    Layer.succeed(References.MinimumLogLevel, levels[options.level] ?? "Info")
  )
