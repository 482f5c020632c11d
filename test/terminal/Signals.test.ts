/** Tests the effect of a second signal. signals.slow.test.ts sends first signals to real processes. */
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { makeSignalHandling, REPEAT_MS } from "../../src/terminal/Signals.ts"

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

  /** A program that stops slowly, and the way it was ended. */
  const stopping = () => {
    const ends: Array<readonly [code: number, line: string]> = []
    const { attach } = makeSignalHandling()
    attach(Effect.runFork(Effect.uninterruptible(Effect.never)), (code, line) => void ends.push([code, line]))
    return ends
  }

  it("counts as the first one within a second", () => {
    const ends = stopping()
    process.emit("SIGINT")
    vi.advanceTimersByTime(14)
    process.emit("SIGINT")
    process.emit("SIGTERM")
    vi.advanceTimersByTime(REPEAT_MS - 15)
    process.emit("SIGINT")
    assert.deepStrictEqual(ends, [])
  })

  it("ends the program at once if it comes later, with a message", () => {
    const ends = stopping()
    process.emit("SIGINT")
    vi.advanceTimersByTime(REPEAT_MS)
    process.emit("SIGINT")
    assert.deepStrictEqual(ends, [[1, "stopped at once at the second signal; nothing is lost"]])
  })
})
