/**
 * A process of the service whose log its parent can use: `serviceProgram.ts ENVIRONMENT`, the settings as JSON. It
 * sends a message when it has routed all events of its network, and after each `Order`.
 */
import { Effect } from "effect"
import { CONFIG_TOPIC } from "../../src/spine/domain/Webhook.ts"
import { eventsTopic } from "../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../src/spine/event/Network.ts"
import { Log } from "../../src/spine/log/Log.ts"
import { endWithParent, send } from "./Child.ts"
import { timed } from "./rounds.ts"
import { serviceLayer } from "./service.ts"
import { wantedEvents, wantingWebhooks } from "./wantedEvents.ts"
import { NETWORK } from "./webhooks.ts"

/** Changes webhooks, then appends events that 10 webhooks want, and waits until the events are routed. */
export interface Order {
  readonly network: Network
  readonly changes: number
  readonly events: number
  /** How many webhooks the network has, and how many account filters each of them. */
  readonly webhooks: number
  readonly filters: number
  readonly round: number
}

export interface Done {
  readonly ms: number
  /** CPU time of this process. */
  readonly cpuMs: number
}

const BODY_BYTES = 1_024
const POLL_MS = 1
/** How many records one transaction appends. */
const CHUNK = 1_000

const [environment = "{}"] = process.argv.slice(2)

const routed = Effect.fnUntraced(function* (network: Network) {
  const log = yield* Log
  const partition = { topic: eventsTopic(network), partition: 0 }
  const { end } = yield* log.offsets(partition)
  while ((yield* log.committed("route", partition)) < end) yield* Effect.sleep(POLL_MS)
})

const append = Effect.fnUntraced(function* (
  records: ReadonlyArray<{ topic: string; key: string; value: string }>
) {
  const log = yield* Log
  for (let from = 0; from < records.length; from += CHUNK)
    yield* log.transaction({ append: records.slice(from, from + CHUNK) })
})

const obey = Effect.fnUntraced(function* ({ network, changes, events, webhooks, filters, round }: Order) {
  // Only one setting changes, but a record has them all.
  const configs = wantingWebhooks(changes, network, "sealed", { filters }).map((config) => ({
    topic: CONFIG_TOPIC,
    key: config.id,
    value: JSON.stringify({ ...config, max_in_flight: round + 1 })
  }))
  const wanted = wantedEvents(events, network, webhooks, BODY_BYTES, round, filters).map((event) => ({
    topic: eventsTopic(network),
    key: network,
    value: JSON.stringify(event)
  }))
  const before = process.cpuUsage()
  const ms = yield* timed(Effect.andThen(append([...configs, ...wanted]), routed(network)))
  const { user, system } = process.cpuUsage(before)
  return { ms, cpuMs: (user + system) / 1_000 } satisfies Done
})

/** Sent once the events that were in the log at the start are routed. */
const ready = Effect.suspend(() => {
  const { user, system } = process.cpuUsage()
  return Effect.promise(() => send({ ms: performance.now(), cpuMs: (user + system) / 1_000 } satisfies Done))
})

endWithParent()
await Effect.gen(function* () {
  yield* routed(NETWORK)
  yield* ready
  while (true) {
    // The parent sends orders only.
    const order = yield* Effect.callback<Order>((resume) => {
      process.once("message", (message) => resume(Effect.succeed(message as Order)))
    })
    const done = yield* obey(order)
    yield* Effect.promise(() => send(done))
  }
}).pipe(Effect.provide(serviceLayer(environment)), Effect.scoped, Effect.runPromise)
