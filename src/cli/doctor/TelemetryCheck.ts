/** What `doctor` says of the receiver of traces and metrics: whether it takes both. What it is sent is empty. */
import { Effect } from "effect"
import type { SettingsShape } from "../../config/Config.ts"
import { otlpEndpoint } from "../../observability/OtlpEndpoint.ts"
import type { Fault } from "./Finding.ts"

export const START_OTLP_RECEIVER = "Start that receiver, or correct OTEL_EXPORTER_OTLP_ENDPOINT."

export const telemetryCheck = ({
  endpoint,
  headers: given
}: NonNullable<SettingsShape["telemetry"]>): Effect.Effect<string, Fault> =>
  Effect.gen(function* () {
    const { headers, host, metrics, traces } = otlpEndpoint(endpoint, given)
    for (const url of [traces, metrics]) {
      const { status } = yield* Effect.tryPromise({
        try: (signal) =>
          fetch(url, {
            method: "POST",
            headers: { ...headers, "content-type": "application/x-protobuf" },
            body: new Uint8Array(),
            signal
          }),
        catch: () => ({ detail: `${host} cannot be reached`, mend: START_OTLP_RECEIVER })
      })
      if (status === 401 || status === 403)
        return yield* Effect.fail({
          detail: `${host} does not let us in (HTTP ${status})`,
          mend: "Correct OTEL_EXPORTER_OTLP_HEADERS, or the user and password in OTEL_EXPORTER_OTLP_ENDPOINT."
        })
      if (status < 200 || status >= 300)
        return yield* Effect.fail({
          detail: `${host} answers ${new URL(url).pathname} with HTTP ${status}`,
          mend: "Set OTEL_EXPORTER_OTLP_ENDPOINT to the address below which it takes /v1/traces and /v1/metrics."
        })
    }
    return `${host} takes traces and metrics`
  })
