/** `ledgerhook start`: runs the service until a signal stops it. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import packageJson from "../../../package.json" with { type: "json" }
import { givenSettings } from "../../spine/config/Config.ts"
import { unknownSettings } from "../../spine/config/UnknownSettings.ts"
import { about } from "../../terminal/Help.ts"
import { Invocation, settings } from "../../terminal/Invocation.ts"
import { Signals } from "../../terminal/Signals.ts"
import { settingsOfFeatures, settingsTable } from "../Settings.ts"
import { systemd } from "./Systemd.ts"

export const start = Command.make(
  "start",
  {},
  Effect.fnUntraced(function* () {
    const { environment } = yield* Invocation
    const { untilStopped } = yield* Signals
    // Imported here, so that other commands start faster.
    const [{ service }, { launch }] = yield* Effect.promise(() =>
      Promise.all([import("../Roles.ts"), import("./Waiting.ts")])
    )
    yield* untilStopped(
      Effect.gen(function* () {
        yield* Effect.logInfo("starting").pipe(
          Effect.annotateLogs({
            version: packageJson.version,
            node: process.version,
            // Names only: values may be secret.
            set: givenSettings(environment, settingsOfFeatures).set
          })
        )
        for (const { message } of unknownSettings(environment, settingsTable))
          yield* Effect.logWarning(message)
        return yield* launch("ledgerhook start", service("ledgerhook start"), yield* systemd)
      }).pipe(Effect.provide(settings), Effect.scoped)
    )
    yield* Effect.logInfo("stopped")
  })
).pipe(
  about(
    "Run the service",
    "Run the service in this process, with the roles in ROLES (default: all). It applies migrations, watches the configured XRP Ledger networks, delivers events and serves the API. It prints the addresses of the API and the dashboard and, at the first start, the admin key and a link that signs in to the dashboard once. If PostgreSQL (DATABASE_URL) or Kafka is away at the start, it says so and waits. SIGTERM or Ctrl-C stops it in order; a second one, more than a second later, stops it at once.",
    {
      "ledgerhook start": "Use the settings of the environment and .env",
      "XRPL_MAINNET_URLS= XRPL_TESTNET_URLS=wss://s.altnet.rippletest.net:51233 ledgerhook start":
        "Watch testnet only",
      "DATABASE_URL=postgres://user:password@127.0.0.1/ledgerhook ledgerhook start": "Use your own PostgreSQL"
    }
  )
)
