/**
 * Decides which spans are kept. A request to the API or a span of `traceNames` starts a trace, at most
 * `tracesPerSecond` for each name. The spans below a kept span are kept as well. All together are at most
 * `spansPerSecond`. A quiet service is traced completely; a busy one is sampled evenly at a fixed cost. Metrics are not
 * sampled.
 */
import { Tracer } from "effect"
import { type TraceName, traceNames } from "./Tracing.ts"

export interface SamplingLimits {
  /** Traces are counted for each name. All requests to the API share one name. */
  readonly tracesPerSecond: number
  readonly spansPerSecond: number
}

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

/** A token bucket, full at the start. */
const makeBucket = (perSecond: number) => {
  let tokens = perSecond
  let at = 0
  return (seconds: number): boolean => {
    tokens = Math.min(perSecond, tokens + Math.max(0, seconds - at) * perSecond)
    at = seconds
    if (tokens < 1) return false
    tokens--
    return true
  }
}

const REQUEST = "request"

/** Undefined: the span does not start a trace, such as an SQL statement outside of traced work. */
const traceOf = ({ kind, name }: SpanOptions): TraceName | typeof REQUEST | undefined =>
  kind === "server" ? REQUEST : traceNames.find((known) => known === name)

/** Whether the parent is a span of this process. A trace that an HTTP caller started is sampled by our own rates. */
const isOurs = ({ parent }: SpanOptions): boolean => parent._tag === "Some" && parent.value._tag === "Span"

export const makeSampling = ({ tracesPerSecond, spansPerSecond }: SamplingLimits) => {
  const begins = new Map([REQUEST, ...traceNames].map((name) => [name, makeBucket(tracesPerSecond)] as const))
  const all = makeBucket(spansPerSecond)
  return (options: SpanOptions): boolean => {
    if (!options.sampled) return false
    const seconds = Number(options.startTime) / 1e9
    if (!isOurs(options)) {
      const trace = traceOf(options)
      if (trace === undefined || !begins.get(trace)!(seconds)) return false
    }
    return all(seconds)
  }
}

/** Wraps `tracer` so that only kept spans are sampled. */
export const sampledTracer = (tracer: Tracer.Tracer, limits: SamplingLimits): Tracer.Tracer => {
  const isKept = makeSampling(limits)
  return Tracer.make({
    ...tracer,
    span: (options) => tracer.span({ ...options, sampled: isKept(options) })
  })
}
