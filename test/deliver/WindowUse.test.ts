/** Whether a webhook with a backlog waits for its receiver or for the service. */
import { assert, describe, it } from "@effect/vitest"
import { heldUpMs, makeWindowUse, noteInFlight } from "../../src/deliver/queue/WindowUse.ts"

const SPAN_MS = 3_000

/** What a span says in which that many requests at a time took that long each. */
const said = (inFlight: number, tookMs: number, window: number | undefined, lagMs: number): number => {
  const use = makeWindowUse(0)
  use.ended = (inFlight * SPAN_MS) / tookMs
  return heldUpMs(use, inFlight, window, lagMs, SPAN_MS)
}

describe("a webhook with a backlog is held back", () => {
  it("by its receiver, while its window is full of requests without an answer", () => {
    assert.strictEqual(said(10, 9_000, 10, 1), 0)
    assert.strictEqual(said(10, 50, 10, 1), 0)
    assert.strictEqual(said(10, 2_000, 10, 200), 0, "although the process is slow too")
  })

  it("by the service, while requests end late because of its own event loop", () => {
    assert.strictEqual(said(10, 220, 10, 60), SPAN_MS)
  })

  it("by the service, while its window is not used, for example because attempts wait for their record", () => {
    assert.strictEqual(said(2, 5, 10, 1), SPAN_MS)
  })

  it("by itself, if it has a rate, or no backlog", () => {
    assert.strictEqual(said(0, 5, undefined, 1), 0)
  })

  it("for as long as that lasts", () => {
    const use = makeWindowUse(0)
    assert.strictEqual(heldUpMs(use, 0, 10, 1, 3_000), 3_000)
    assert.strictEqual(heldUpMs(use, 0, 10, 1, 6_000), 6_000)
    noteInFlight(use, 0, 6_100)
    assert.strictEqual(heldUpMs(use, 10, 10, 1, 9_000), 0)
    noteInFlight(use, 10, 9_001)
    assert.strictEqual(heldUpMs(use, 0, 10, 1, 12_000), 3_000)
  })
})
