/**
 * How the program ends on SIGINT and SIGTERM: alone, under npm, and sent to a whole process group. It uses real
 * processes; Signals.test.ts tests the decisions of one process.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type RunningProgram, startProgram, startScript } from "../support/program/program.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-signals-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const settings = (cwd: string) => ({
  PORT: "0",
  XRPL_MAINNET_URLS: "",
  DATA_DIR: join(cwd, "data"),
  LOG_FORMAT: "json"
})

const endsInOrder = Effect.fnUntraced(function* (program: RunningProgram) {
  assert.strictEqual(yield* program.ended, 0)
  yield* program.said(/"message":"stopped"/)
})

describe("the service", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it.live(`exits 0 on ${signal}, with everything stopped in order`, () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        const program = yield* startProgram(["start"], { cwd, environment: settings(cwd) })
        yield* program.said(/"message":"starting"/)
        yield* program.signal(signal)
        yield* endsInOrder(program)
      })
    )

    it.live(
      `does the same under npm when ${signal} goes to the whole process group, as from a terminal or systemd`,
      () =>
        Effect.gen(function* () {
          const program = yield* startScript("start", settings(yield* folder))
          yield* program.printed(/^Ledgerhook API: /)
          yield* program.signalGroup(signal)
          yield* endsInOrder(program)
        }),
      60_000
    )
  }

  it.live(
    "does the same while it creates its database, which the signal also stops",
    () =>
      Effect.gen(function* () {
        const program = yield* startScript("start", settings(yield* folder))
        yield* program.said(/"message":"starting"/)
        yield* program.signalGroup("SIGINT")
        yield* endsInOrder(program)
      }),
    60_000
  )
})
