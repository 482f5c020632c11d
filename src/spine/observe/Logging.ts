/**
 * The program's log messages. They go to standard error, since standard output is for the results of commands. Format:
 * coloured lines for people, or one JSON object a line. Annotations have the same names in both. An equal warning or
 * error is written once in `windowMs`; then one line says how many more there were (the field `repeated`).
 */
import {
  Cause,
  Clock,
  Console,
  Effect,
  Formatter,
  Layer,
  Logger,
  type LogLevel,
  Predicate,
  References
} from "effect"
import { seconds } from "../words/Words.ts"
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

/** What PostgreSQL or the system said. The SQL client's own message is the same for every error. */
const databaseText = (error: Error): string | undefined => {
  if (!Predicate.isTagged(error, "SqlError") || !Predicate.hasProperty(error, "reason")) return undefined
  const { reason } = error
  if (!Predicate.hasProperty(reason, "cause") || !(reason.cause instanceof Error)) return undefined
  const { cause } = reason
  const code = "code" in cause ? String(cause.code) : ""
  const text = errorText(cause)
  return code === "" || text.includes(code) ? text : `${text} (${code})`
}

/** What the system said where the file system's client has no word for it: `ENOSPC: no space left on device, write`. */
const systemText = (error: Error): string | undefined =>
  Predicate.isTagged(error, "PlatformError") &&
  Predicate.hasProperty(error, "reason") &&
  Predicate.isTagged(error.reason, "Unknown") &&
  error.cause instanceof Error
    ? error.cause.message
    : undefined

/** Any error as one line: its message, or else its name and plain fields. */
export const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error === "string" ? error : Formatter.formatJson(error)
  const own = databaseText(error) ?? systemText(error)
  if (own !== undefined) return own
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

/**
 * Messages are equal if level, first part and annotations are. The cause may differ, and the id of the request, which
 * its caller chooses. What else a caller has sent stands in a later part, so that no caller can fill the log.
 */
const kindOf = (
  level: LogLevel.LogLevel,
  first: unknown,
  { requestId: _, ...annotations }: LogEntry["annotations"]
): string => `${level} ${textOf(first)} ${Formatter.formatJson(annotations)}`

/** A logger of lines on standard error, and what writes the summaries of the messages that were left out. */
const makeWriting = ({ level, format, colour, repeats }: LoggingOptions) => {
  const line = format === "json" ? jsonLine : prettyLine(colour)
  const filter = makeRepeatFilter<LogEntry>(repeats)
  const logger = Logger.make<unknown, void>(({ date, logLevel, message, cause, fiber }) => {
    const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    const entry: LogEntry = {
      date,
      level: logLevel,
      message: parts.map(textOf).join(": "),
      annotations,
      cause:
        cause.reasons.length === 0
          ? undefined
          : level === "debug"
            ? Cause.pretty(cause)
            : Cause.prettyErrors(cause).map(errorText).join("; ")
    }
    const repeated =
      logLevel === "Warn" || logLevel === "Error"
        ? filter.add(kindOf(logLevel, parts[0], annotations), entry, date.getTime())
        : 0
    if (repeated === undefined) return
    const shown = repeated === 0 ? entry : { ...entry, annotations: { ...annotations, repeated } }
    fiber.getRef(Console.Console).error(line(shown))
  })
  const summarise = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    for (const { message: entry, leftOut } of filter.summaries(nowMs)) {
      yield* Console.error(
        line({
          ...entry,
          date: new Date(nowMs),
          message: `${entry.message} (${leftOut} more in the last ${seconds(repeats.windowMs)})`,
          annotations: { ...entry.annotations, repeated: leftOut }
        })
      )
    }
  })
  return { logger, summarise }
}

export const layer = (options: LoggingOptions): Layer.Layer<never> => {
  const { logger, summarise } = makeWriting(options)
  const summarising = Effect.forever(Effect.andThen(Effect.sleep(options.repeats.windowMs), summarise))
  return Layer.mergeAll(
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, levels[options.level] ?? "Info"),
    Layer.effectDiscard(Effect.forkScoped(summarising))
  )
}
