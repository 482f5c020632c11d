/**
 * A process that serves the API and delivers as fast as it can, with measurements beside whatever else it has to do:
 * deliveries per second, the latency of a probe, and memory.
 */
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { startChild } from "./Child.ts"
import { queueWorks, worksOf } from "./delivering.ts"
import type { Probe } from "./probeProgram.ts"
import { makeEvents, makeWebhooks } from "./webhooks.ts"

const WARM_UP_MS = 10_000
const SAMPLE_MS = 200
const WEBHOOKS = 10
const EVENTS_AT_ONCE = 20
/** How many queued deliveries have not arrived yet. There are enough that deliver never waits for work. */
const AHEAD = 1_000
const BYTES_PER_MB = 1024 * 1024

export interface Phase {
  readonly perSecond: number
  readonly probeMs: ReadonlyArray<number>
  readonly memoryMb: number
}

/** Delivers until the scope ends. Returns the server's origin, and an effect that measures for a number of ms. */
export const besideDeliveries = Effect.fnUntraced(function* (probeOf: (origin: string) => Probe) {
  const origin = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
  const receiver = yield* startChild("receiverProgram.ts")
  const receiverPort = yield* receiver.ask()
  const probe = yield* startChild("probeProgram.ts")
  yield* probe.ask(probeOf(origin))

  const { accountId, ids } = yield* makeWebhooks(
    Array.from({ length: WEBHOOKS }, (_, i) => `http://127.0.0.${i + 1}:${receiverPort}/hook`)
  )
  let arrived = 0
  let queued = 0
  let series = 0
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.suspend(() => {
        if (queued - arrived > AHEAD) return Effect.sleep(SAMPLE_MS / 10)
        queued += EVENTS_AT_ONCE * WEBHOOKS
        return queueWorks(worksOf(makeEvents(EVENTS_AT_ONCE, 1_024, series++), ids), accountId)
      })
    )
  )
  const count = Effect.map(receiver.ask("count"), (answer) => {
    // Sent by support/receiverProgram.ts.
    arrived = answer as number
    return arrived
  })
  const phase = Effect.fnUntraced(function* (lastsMs: number) {
    yield* probe.ask("latencies")
    const began = performance.now()
    const first = yield* count
    let memory = 0
    while (performance.now() - began < lastsMs) {
      yield* Effect.sleep(SAMPLE_MS)
      yield* count
      memory = Math.max(memory, process.memoryUsage.rss())
    }
    const seconds = (performance.now() - began) / 1_000
    return {
      perSecond: ((yield* count) - first) / seconds,
      // Sent by support/probeProgram.ts.
      probeMs: (yield* probe.ask("latencies")) as ReadonlyArray<number>,
      memoryMb: memory / BYTES_PER_MB
    } satisfies Phase
  })
  yield* phase(WARM_UP_MS)
  return { origin, phase }
})
