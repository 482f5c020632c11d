/** How the program ends on SIGINT and SIGTERM: alone, under npm, and sent to a whole process group. Real processes. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { makeSignalHandling } from "../../src/cli/terminal/Signals.ts"
import { Limits } from "../../src/config/Limits.ts"
import { type RunningProgram, startProgram, startScript } from "../support/program.ts"

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
    it.live(`ends 0 on ${signal}, with everything stopped in order`, () =>
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
    "does the same while its database is made, which the signal ends as well",
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

describe("a second signal", () => {
  const signals = ["SIGINT", "SIGTERM"] as const
  const before = signals.map((signal) => process.listeners(signal))

  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => {
    vi.useRealTimers()
    for (const [i, signal] of signals.entries()) {
      for (const listener of process.listeners(signal)) {
        if (!before[i]!.includes(listener)) process.off(signal, listener)
      }
    }
  })

  /** A program that takes its time to stop, and how it was ended. */
  const stopping = () => {
    const ends: Array<readonly [code: number, line: string]> = []
    const { attach } = makeSignalHandling()
    attach(Effect.runFork(Effect.uninterruptible(Effect.never)), (code, line) => void ends.push([code, line]))
    return ends
  }

  it("is the first one still, as long as it comes within a second", () => {
    const ends = stopping()
    process.emit("SIGINT")
    vi.advanceTimersByTime(14)
    process.emit("SIGINT")
    process.emit("SIGTERM")
    vi.advanceTimersByTime(Limits.signalRepeatMs - 15)
    process.emit("SIGINT")
    assert.deepStrictEqual(ends, [])
  })

  it("ends the program at once when it comes later, and says so", () => {
    const ends = stopping()
    process.emit("SIGINT")
    vi.advanceTimersByTime(Limits.signalRepeatMs)
    process.emit("SIGINT")
    assert.deepStrictEqual(ends, [[1, "stopped at once at the second signal; nothing is lost"]])
  })
})
