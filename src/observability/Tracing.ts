/**
 * The names of the spans that start a trace. Requests to the API start one as well. While tracing is disabled, `traced`
 * runs the effect without a span.
 */
import { Effect, References } from "effect"

export const traceNames = [
  /** A batch of ledgers: detection, and the append to the log. */
  "take ledgers",
  /** A batch of events written to the event log's tables. */
  "write events",
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

/** `attributesOf` is called only if the span is kept. Null attributes are left out. */
export const traced = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  name: TraceName,
  attributesOf: (result: A) => Readonly<Record<string, unknown>>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(References.TracerEnabled)
      ? Effect.useSpan(name, { root: true }, (span) =>
          Effect.map(Effect.withParentSpan(self, span), (result) => {
            if (span.sampled)
              for (const [key, value] of Object.entries(attributesOf(result)))
                if (value !== null) span.attribute(key, value)
            return result
          })
        )
      : self
  )
