/**
 * The program's log messages. They go to standard error, since standard output is for the results of commands. Format:
 * coloured lines for people, or one JSON object a line. Annotations have the same names in both. An equal warning or
 * error is written once in `windowMs`; the field `repeated` counts those left out.
 */
import { Cause, Console, Formatter, Layer, Logger, type LogLevel, References } from "effect"
import { makeRepeatFilter, type RepeatFilterLimits } from "./RepeatFilter.ts"

export interface LoggingOptions {
  /** The least severe level that is written: `debug`, `info`, `warn` or `error`. `debug` adds stack traces. */
  readonly level: string
  readonly format: "pretty" | "json"
  readonly colour: boolean
  /** Limits of equal warnings and errors. */
  readonly repeats: RepeatFilterLimits
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

/** Any error as one line: its message, or else its name and plain fields. */
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

/** Messages are equal if level, first part and annotations are. The cause may differ. */
const kindOf = (level: LogLevel.LogLevel, first: unknown, annotations: LogEntry["annotations"]): string =>
  `${level} ${textOf(first)} ${Formatter.formatJson(annotations)}`

/** The line to write. Undefined: the message is left out as a repetition. */
const logger = ({ level, format, colour, repeats }: LoggingOptions) => {
  const line = format === "json" ? jsonLine : prettyLine(colour)
  const leftOut = makeRepeatFilter(repeats)
  return Logger.make<unknown, string | undefined>(({ date, logLevel, message, cause, fiber }) => {
    const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    const repeated =
      logLevel === "Warn" || logLevel === "Error"
        ? leftOut(kindOf(logLevel, parts[0], annotations), date.getTime())
        : 0
    if (repeated === undefined) return undefined
    return line({
      date,
      level: logLevel,
      message: parts.map(textOf).join(": "),
      annotations: repeated === 0 ? annotations : { ...annotations, repeated },
      cause:
        cause.reasons.length === 0
          ? undefined
          : level === "debug"
            ? Cause.pretty(cause)
            : Cause.prettyErrors(cause).map(errorText).join("; ")
    })
  })
}

/** On standard error. */
const written = (options: LoggingOptions) => {
  const lineOf = logger(options)
  return Logger.make<unknown, void>((entry) => {
    const line = lineOf.log(entry)
    if (line !== undefined) entry.fiber.getRef(Console.Console).error(line)
  })
}

export const layer = (options: LoggingOptions): Layer.Layer<never> =>
  Layer.merge(
    Logger.layer([written(options)]),
    Layer.succeed(References.MinimumLogLevel, levels[options.level] ?? "Info")
  )
