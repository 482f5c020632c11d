/** `ledgerhook doctor`: every setting and connection checked, and how to mend what fails. */
import { Effect, References } from "effect"
import { Command, Flag } from "effect/cli"
import { printable } from "../../domain/Printable.ts"
import { GREEN, painter, RED, YELLOW } from "../terminal/Colour.ts"
import { FailureReported } from "../terminal/Failure.ts"
import { about } from "../terminal/Help.ts"
import { Invocation, stdoutColour } from "../terminal/Invocation.ts"
import { printableLines } from "../terminal/JsonText.ts"
import { print } from "../terminal/Output.ts"
import { examine } from "./Checks.ts"
import type { Finding } from "./Finding.ts"

const COLOURS: Readonly<Record<Finding["status"], number>> = { ok: GREEN, warning: YELLOW, problem: RED }

/** A row each; below a row, indented, what to do. */
export const table = (findings: ReadonlyArray<Finding>, colour: boolean): string => {
  const width = (column: "check" | "status") => Math.max(...findings.map((finding) => finding[column].length))
  const checks = width("check")
  const statuses = width("status")
  const paint = painter(colour)
  return findings
    .flatMap(({ check, status, detail, mend }) => [
      `${paint(status.padEnd(statuses), COLOURS[status])}  ${check.padEnd(checks)}  ${printable(detail, detail.length)}`,
      ...(mend === "" ? [] : [`${" ".repeat(statuses + checks + 4)}→ ${printable(mend, mend.length)}`])
    ])
    .join("\n")
}

export const doctor = Command.make(
  "doctor",
  {
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON object instead of the table"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(
    function* ({ json }) {
      const invocation = yield* Invocation
      const checks = yield* examine(invocation.environment)
      const ok = checks.every(({ status }) => status !== "problem")
      yield* print(
        json
          ? printableLines(JSON.stringify({ ok, checks }, null, 2))
          : table(checks, stdoutColour(invocation))
      )
      if (!ok) return yield* new FailureReported()
      // What the parts would log about a failure is in the table.
    },
    Effect.provideService(References.MinimumLogLevel, "None")
  )
).pipe(
  about(
    "Check every setting and connection",
    "Check every setting and connection: the settings; the store (DATA_DIR or DATABASE_URL) with its secrets, withheld events and quarantine; Kafka with its topics and groups (KAFKA_BROKERS); the schema registry (SCHEMA_REGISTRY_URL); the API's port; each XRP Ledger server and its network; the mail server and MAIL_FROM (SMTP_URL); the receiver of traces and metrics (OTEL_EXPORTER_OTLP_ENDPOINT). Each problem comes with a way to fix it. Exits 1 if there is a problem. Changes nothing, and can run beside a running service.",
    {
      "ledgerhook doctor": "A table, with what to do about each problem",
      "ledgerhook doctor --json | jq '.checks[] | select(.status != \"ok\")'": "For scripts"
    }
  )
)
