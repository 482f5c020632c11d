/** What `doctor` says of the receiver of traces and metrics: whether it takes both. What it is sent is empty. */
import { Effect } from "effect"
import type { SettingsShape } from "../../config/Config.ts"
import { otlpEndpoint } from "../../observability/OtlpEndpoint.ts"
import { Fault, finding } from "./Finding.ts"

export const telemetryCheck = ({ endpoint, headers: given }: NonNullable<SettingsShape["telemetry"]>) => {
  const { headers, host, metrics, traces } = otlpEndpoint(endpoint, given)
  const send = Effect.fnUntraced(function* (url: string) {
    const { ok, status } = yield* Effect.tryPromise({
      try: (signal) =>
        fetch(url, {
          method: "POST",
          headers: { ...headers, "content-type": "application/x-protobuf" },
          body: new Uint8Array(),
          signal
        }),
      catch: () => `${host} cannot be reached`
    })
    if (status === 401 || status === 403)
      return yield* new Fault({
        detail: `${host} does not let us in (HTTP ${status})`,
        mend: "Correct OTEL_EXPORTER_OTLP_HEADERS, or the user and password in OTEL_EXPORTER_OTLP_ENDPOINT."
      })
    if (!ok)
      return yield* new Fault({
        detail: `${host} answers ${new URL(url).pathname} with HTTP ${status}`,
        mend: "Set OTEL_EXPORTER_OTLP_ENDPOINT to the address below which it takes /v1/traces and /v1/metrics."
      })
  })
  return finding(
    "telemetry",
    "Start that receiver, or correct OTEL_EXPORTER_OTLP_ENDPOINT.",
    Effect.forEach([traces, metrics], send).pipe(Effect.as(`${host} takes traces and metrics`))
  )
}
