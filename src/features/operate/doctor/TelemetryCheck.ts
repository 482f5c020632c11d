/** `doctor` checks the OTLP endpoint: whether it accepts traces and metrics. The requests are empty. */
import { Effect } from "effect"
import type { SettingsShape } from "../../../spine/config/Config.ts"
import { otlpEndpoint } from "../../../spine/observe/OtlpEndpoint.ts"
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
        detail: `${host} refuses the credentials (HTTP ${status})`,
        fix: "Correct OTEL_EXPORTER_OTLP_HEADERS, or the user and password in OTEL_EXPORTER_OTLP_ENDPOINT."
      })
    if (!ok)
      return yield* new Fault({
        detail: `${host} answers ${new URL(url).pathname} with HTTP ${status}`,
        fix: "Set OTEL_EXPORTER_OTLP_ENDPOINT to the URL without /v1/traces and /v1/metrics, which are appended to it."
      })
  })
  return finding(
    "telemetry",
    "Start the server at that address, or correct OTEL_EXPORTER_OTLP_ENDPOINT.",
    Effect.forEach([traces, metrics], send).pipe(Effect.as(`${host} accepts traces and metrics`))
  )
}
