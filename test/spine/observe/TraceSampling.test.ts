/** Sampling of a busy process's spans: evenly, up to a limit that callers cannot change. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Option, Tracer } from "effect"
import { makeSampling } from "../../../src/spine/observe/TraceSampling.ts"

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

const span = (at: number, options: Partial<SpanOptions> = {}): SpanOptions => ({
  name: "attempt delivery",
  parent: Option.none(),
  annotations: Context.empty(),
  links: [],
  startTime: BigInt(Math.round(at * 1e9)),
  kind: "internal",
  root: true,
  sampled: true,
  ...options
})

/** A parent span of this process. */
const parentOf = (at: number) => Option.some(new Tracer.NativeSpan(span(at)))

const START = 1_795_000_000

describe("sampling", () => {
  it("keeps everything while little happens", () => {
    const isKept = makeSampling({ tracesPerSecond: 2, spansPerSecond: 100 })
    for (let second = 0; second < 60; second++) {
      assert.isTrue(isKept(span(START + second)))
      assert.isTrue(isKept(span(START + second, { parent: parentOf(START), name: "sql.execute" })))
    }
  })

  it("keeps a number of traces a second for each name, spread evenly over the second", () => {
    const isKept = makeSampling({ tracesPerSecond: 5, spansPerSecond: 1_000 })
    const kept: Array<number> = []
    for (let i = 0; i < 20_000; i++) {
      const at = START + i / 2_000
      if (isKept(span(at))) kept.push(at)
      if (i % 2_000 === 0) assert.isTrue(isKept(span(at, { name: "record attempts" })))
    }
    assert.isAtLeast(kept.length, 50)
    assert.isAtMost(kept.length, 56)
    const gaps = kept.slice(6).map((at, i) => at - kept[i + 5]!)
    assert.isAtLeast(Math.min(...gaps), 0.199)
  })

  it("counts requests to the API as one name, whatever their paths", () => {
    const isKept = makeSampling({ tracesPerSecond: 3, spansPerSecond: 100 })
    const kept = Array.from({ length: 50 }, (_, i) =>
      isKept(span(START, { kind: "server", name: `GET /v1/${i}` }))
    )
    assert.strictEqual(kept.filter(Boolean).length, 3)
  })

  it("starts no trace with a statement", () => {
    const isKept = makeSampling({ tracesPerSecond: 3, spansPerSecond: 100 })
    assert.isFalse(isKept(span(START, { kind: "client", name: "sql.execute" })))
    assert.isFalse(isKept(span(START, { name: "sql.transaction" })))
  })

  it("counts a sampled caller's trace separately, and skips traces that the caller skips", () => {
    const isKept = makeSampling({ tracesPerSecond: 3, spansPerSecond: 100 })
    const parent = Option.some(Tracer.externalSpan({ spanId: "1".repeat(16), traceId: "1".repeat(32) }))
    const kept = Array.from({ length: 50 }, () =>
      isKept(span(START, { kind: "server", name: "GET", parent }))
    )
    assert.strictEqual(kept.filter(Boolean).length, 3)
    assert.isFalse(isKept(span(START + 10, { sampled: false })))
  })

  it("bounds the spans below a trace that never ends, too", () => {
    const isKept = makeSampling({ tracesPerSecond: 3, spansPerSecond: 100 })
    const parent = parentOf(START)
    const kept = Array.from({ length: 10_000 }, () => isKept(span(START, { parent, name: "sql.execute" })))
    assert.strictEqual(kept.filter(Boolean).length, 100)
  })
})
