/** `ledgerhook doctor`: checks every setting and connection, and says how to fix what fails. */
import { Effect, References } from "effect"
import { Command } from "effect/cli"
import { printable } from "../../../spine/words/Printable.ts"
import { GREEN, painter, RED, YELLOW } from "../../../terminal/Colour.ts"
import { FailureReported } from "../../../terminal/Failure.ts"
import { switchFlag } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { Invocation, stdoutColour } from "../../../terminal/Invocation.ts"
import { printableLines } from "../../../terminal/JsonText.ts"
import { print } from "../../../terminal/Output.ts"
import { examine } from "./DoctorChecks.ts"
import type { Finding } from "./Finding.ts"

const COLOURS: Readonly<Record<Finding["status"], number>> = { ok: GREEN, warning: YELLOW, problem: RED }

/** One row per finding; below it, indented, what to do. */
export const table = (findings: ReadonlyArray<Finding>, colour: boolean): string => {
  const width = (column: "check" | "status") => Math.max(...findings.map((finding) => finding[column].length))
  const checks = width("check")
  const statuses = width("status")
  const paint = painter(colour)
  return findings
    .flatMap(({ check, status, detail, fix }) => [
      `${paint(status.padEnd(statuses), COLOURS[status])}  ${check.padEnd(checks)}  ${printable(detail, detail.length)}`,
      ...(fix === "" ? [] : [`${" ".repeat(statuses + checks + 4)}→ ${printable(fix, fix.length)}`])
    ])
    .join("\n")
}

export const doctor = Command.make(
  "doctor",
  {
    json: switchFlag("json", "Print one JSON object instead of the table")
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
      // The table contains what the checked parts would log about a failure.
    },
    Effect.provideService(References.MinimumLogLevel, "None")
  )
).pipe(
  about(
    "Check every setting and connection",
    "Check every setting and connection: the values of the settings, the database (DATA_DIR or DATABASE_URL), Kafka and its schema registry, each XRP Ledger server and its network, whether the next ledger can be taken from one of them, the API's port and the service that is running there, the mail server, and the endpoint for traces and metrics. Also report failing webhooks, withheld events and dead letters. Says how to fix each problem, and exits 1 if there is one. Changes nothing; the service may be running.",
    {
      "ledgerhook doctor": "Print a table, with what to do about each problem",
      "ledgerhook doctor --json | jq '.checks[] | select(.status != \"ok\")'":
        "Print only warnings and problems, for scripts"
    }
  )
)
