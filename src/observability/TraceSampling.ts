/**
 * Which spans are kept. A trace is begun by a request to the API or by one of `traceNames`, each of them at most so many
 * times a second; what happens below a span that is kept is kept with it, up to so many spans a second in all. So a
 * quiet service shows everything, and a busy one an even part at a fixed price. Metrics count all of it.
 */
import { Tracer } from "effect"
import { type TraceName, traceNames } from "./Tracing.ts"

export interface SamplingLimits {
  /** Of one name; requests to the API count as one. */
  readonly tracesPerSecond: number
  readonly spansPerSecond: number
}

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

/** Full at first; gives one at a time, evenly when more is asked for than comes in. */
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

/** Undefined: begins no trace (a statement that no traced work runs). */
const traceOf = ({ kind, name }: SpanOptions): TraceName | typeof REQUEST | undefined =>
  kind === "server" ? REQUEST : traceNames.find((known) => known === name)

/** A caller's trace goes on here at our price, not at the caller's will. */
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

/** The tracer, told of what is kept only. */
export const sampledTracer = (tracer: Tracer.Tracer, limits: SamplingLimits): Tracer.Tracer => {
  const isKept = makeSampling(limits)
  return Tracer.make({
    ...tracer,
    span: (options) => tracer.span({ ...options, sampled: isKept(options) })
  })
}
