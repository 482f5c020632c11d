/**
 * What begins a trace, in one table; requests to the API begin one as well. Without an endpoint for traces nothing is
 * made, and `traced` is the effect itself.
 */
import { Effect, References } from "effect"

export const traceNames = [
  /** Ledgers that link to one another: detected, and appended with their events. */
  "take ledgers",
  /** A batch of events into the event log. */
  "write events",
  /** A batch of events' deliveries: their rows and their work. */
  "route events",
  /** One request to a webhook's endpoint. */
  "attempt delivery",
  /** What a batch of attempts came to, with the retries it asks for. */
  "record attempts",
  /** A batch of a replay's events. */
  "replay events"
] as const
export type TraceName = (typeof traceNames)[number]

/** Attributes are asked for only where the trace is kept; those that are null are left out. */
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
