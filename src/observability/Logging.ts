/**
 * Messages of the program, on standard error so that standard output stays a command's own: coloured lines for people,
 * or one JSON object a line. What belongs to a message comes as annotations, and keeps its names in both forms. A warning
 * that is repeated is written once in 10 s; `repeated` counts those left out since the one before.
 */
import { Cause, Console, Formatter, Layer, Logger, type LogLevel, References } from "effect"
import { makeRepeatFilter, type RepeatFilterLimits } from "./RepeatFilter.ts"

export interface LoggingOptions {
  /** `debug`, `info`, `warn` or `error`: the least severe that is written. At `debug`, causes come with their stacks. */
  readonly level: string
  readonly format: "pretty" | "json"
  readonly colour: boolean
  /** When a warning counts as repeated. */
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

/** Of a kind are those of one level with the same first words and the same annotations; a reason may differ. */
const kindOf = (level: LogLevel.LogLevel, first: unknown, annotations: LogEntry["annotations"]): string =>
  `${level} ${textOf(first)} ${Formatter.formatJson(annotations)}`

/** Undefined: nothing is written, since it repeats what was written a moment ago. */
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
