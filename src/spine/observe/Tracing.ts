/**
 * The names of the spans that start a trace, and how a trace continues after a record of the log: in the header
 * `traceparent` (W3C Trace Context). Requests to the API start a trace as well. While tracing is disabled, `traced`
 * runs the effect without a span, and records have no such header.
 */
import { Context, Effect, References, Tracer } from "effect"

/** In one list, because operators search for these names; one that a feature has chosen must not be another's. */
export const traceNames = [
  /** A batch of ledgers: detection, and the append to the log. */
  "take ledgers",
  /** A batch of events written to the event index's tables. */
  "write events",
  /** A batch of transactions written to the index by hash. */
  "index transactions",
  /** The deliveries of a batch of events: rows and work records. */
  "route events",
  /** One attempt: a request to a webhook's endpoint. */
  "attempt delivery",
  /** The outcomes of a batch of attempts, and the retries appended for them. */
  "record attempts",
  /** A batch of a replay's events. */
  "replay events",
  /** A batch of deliveries that a retry job queues again. */
  "retry deliveries"
] as const
export type TraceName = (typeof traceNames)[number]

export const TRACE_HEADER = "traceparent"

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/

const parentOf = (traceparent: string | undefined): Tracer.ExternalSpan | undefined => {
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent ?? "") ?? []
  return traceId === undefined || spanId === undefined
    ? undefined
    : Tracer.externalSpan({ traceId, spanId, sampled: true })
}

/** Adds the current trace to records, if it is kept. */
export const continued = <A extends { readonly headers?: Readonly<Record<string, string>> }>(
  records: ReadonlyArray<A>
): Effect.Effect<ReadonlyArray<A>> =>
  Effect.withFiber((fiber) => {
    const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
    if (span === undefined || !span.sampled) return Effect.succeed(records)
    const header = { [TRACE_HEADER]: `00-${span.traceId}-${span.spanId}-01` }
    return Effect.succeed(records.map((record) => ({ ...record, headers: { ...record.headers, ...header } })))
  })

/**
 * `attributesOf` is called only if the span is kept. Null attributes are left out. `traceparent` is the header of the
 * record that caused the work: the span then belongs to its trace.
 */
export const traced = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  name: TraceName,
  attributesOf: (result: A) => Readonly<Record<string, unknown>>,
  traceparent?: string
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!fiber.getRef(References.TracerEnabled)) return self
    const parent = parentOf(traceparent)
    return Effect.useSpan(name, parent === undefined ? { root: true } : { parent }, (span) =>
      Effect.map(Effect.withParentSpan(self, span), (result) => {
        if (span.sampled)
          for (const [key, value] of Object.entries(attributesOf(result)))
            if (value !== null) span.attribute(key, value)
        return result
      })
    )
  })
