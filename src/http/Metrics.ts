/** The metrics of the API. */
import { counter, histogram } from "../spine/observe/MetricKinds.ts"
import { durations } from "../spine/observe/Metrics.ts"

const route = "the path in the API's contract, or `other`"

export const ApiMetrics = {
  apiRequests: counter(
    "ledgerhook_api_requests_total",
    "Requests to the API. `status` 429: over the rate limit of the key",
    { method: "the HTTP method, or `other`", route, status: "the HTTP status" }
  ),
  apiDuration: histogram(
    "ledgerhook_api_request_duration_seconds",
    "Time until the response to a request to the API was made",
    durations,
    { route }
  )
} as const
