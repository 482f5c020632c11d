/**
 * Counts and times requests under /v1, and writes a line for each at the level `debug`. Labels and lines have the path
 * of the contract, `/v1/webhooks/:id`: the number of series is bounded, and a path or query cannot put a secret there.
 */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { ApiMetrics } from "./Metrics.ts"

const NANOS_PER_MS = 1_000_000

/** The methods that the API knows. Callers may send any text as a method. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"])

/** `route`: undefined for a path that the API does not have. */
export const measured = <E, R>(
  response: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  called: { readonly method: string; readonly route: string | undefined }
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.clockWith((clock) => {
    const method = methods.has(called.method) ? called.method : "other"
    const route = called.route ?? "other"
    const startedAt = clock.monotonicTimeNanosUnsafe()
    return Effect.tap(
      response,
      Effect.fnUntraced(function* ({ status }) {
        const ms = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / NANOS_PER_MS
        yield* ApiMetrics.apiRequests.add({ method, route, status: String(status) }, 1)
        yield* ApiMetrics.apiDuration.record({ route }, [ms / 1_000])
        yield* Effect.logDebug("request").pipe(
          Effect.annotateLogs({ method, route, status, duration_ms: Math.round(ms * 10) / 10 })
        )
      })
    )
  })
