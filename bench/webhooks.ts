/**
 * Measures a process with the role `route` that has 100,000 webhooks with 20 account filters each: memory, start,
 * routing and changes, beside 1,000 webhooks of another network in the same process. The records of the webhooks are
 * appended to the embedded log, as the outbox publisher does; the rows of the table `webhooks` are left out, because
 * route does not read them. It reads /proc, so it needs Linux.
 */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { Effect, Layer, Schedule } from "effect"
import { CONFIG_TOPIC } from "../src/spine/domain/Webhook.ts"
import { eventsTopic } from "../src/spine/event/LedgerEvent.ts"
import type { Network } from "../src/spine/event/Network.ts"
import * as EmbeddedLog from "../src/spine/log/embedded/EmbeddedLog.ts"
import { Log } from "../src/spine/log/Log.ts"
import { SecretBox } from "../src/spine/store/secrets/SecretBox.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { startChild } from "./support/Child.ts"
import { memoryMebibytesOf } from "./support/cpu.ts"
import { databaseUrl } from "./support/kafka.ts"
import { inRounds, medianOf } from "./support/rounds.ts"
import type { Done, Order } from "./support/serviceProgram.ts"
import { storeLayer } from "./support/store.ts"
import { wantedEvents, wantingWebhooks } from "./support/wantedEvents.ts"
import { NETWORK, SECRET } from "./support/webhooks.ts"

const WEBHOOKS = 100_000
const FEW = 1_000
const FEW_NETWORK: Network = "testnet"
const FILTERS = 20
/** How many records one transaction appends. */
const CHUNK = 2_000
const ROUNDS = 5
const EVENTS = 500
const CHANGES = 1_000
const BODY_BYTES = 1_024
const MEMORY_EVERY = "250 millis"
const MEMORY_MIB = 640
const START_SECONDS = 10

const seed = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const log = yield* Log
    const sealed = (yield* SecretBox).seal(SECRET)
    const appendWebhooks = Effect.fnUntraced(function* (count: number, network: Network) {
      for (let from = 0; from < count; from += CHUNK) {
        const to = Math.min(count, from + CHUNK)
        const configs = wantingWebhooks(to, network, sealed, { from, filters: FILTERS })
        yield* log.transaction({
          append: configs.map((config) => ({
            topic: CONFIG_TOPIC,
            key: config.id,
            value: JSON.stringify(config)
          }))
        })
      }
    })
    yield* appendWebhooks(WEBHOOKS, NETWORK)
    yield* appendWebhooks(FEW, FEW_NETWORK)
    // When this event is routed, the process is ready.
    const [event] = wantedEvents(1, NETWORK, WEBHOOKS, BODY_BYTES, 0, FILTERS)
    yield* log.transaction({
      append: [{ topic: eventsTopic(NETWORK), key: NETWORK, value: JSON.stringify(event) }]
    })
  }).pipe(
    Effect.provide(
      Layer.mergeAll(SecretBox.layer, EmbeddedLog.layer).pipe(Layer.provideMerge(storeLayer(environment)))
    )
  )

/** The largest resident size of a process so far, in MiB. */
const peakMebibytesOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

const measure = Effect.fnUntraced(function* (report: (figure: Figure) => void) {
  const show = (
    name: string,
    value: number,
    unit: string,
    { ratio = null, target = null }: Partial<Pick<Figure, "ratio" | "target">> = {}
  ) => report({ name: `webhooks.${name}`, value, unit, ratio, target, better: "lower" })
  const environment = {
    DATABASE_URL: yield* databaseUrl,
    SECRETS_KEY: randomBytes(32).toString("base64"),
    ROLES: "route",
    PORT: "0",
    // Nothing connects to it: this makes the network one that is routed.
    XRPL_MAINNET_URLS: "ws://127.0.0.1:1"
  }
  yield* seed(environment)

  const child = yield* startChild("serviceProgram.ts", [JSON.stringify(environment)])
  const pid = child.process.pid!
  let memory = 0
  yield* Effect.sync(() => {
    memory = Math.max(memory, memoryMebibytesOf(pid))
  }).pipe(Effect.repeat(Schedule.spaced(MEMORY_EVERY)), Effect.forkScoped)
  // Sent by support/serviceProgram.ts, as after each order.
  const start = (yield* child.ask()) as Done
  const seconds = start.ms / 1_000
  show("start", seconds, "s", { ratio: seconds / START_SECONDS, target: 1 })
  show("start.cpu", start.cpuMs / 1_000, "CPU s")

  const obeyed = (order: Omit<Order, "filters">) =>
    Effect.map(child.ask({ ...order, filters: FILTERS } satisfies Order), (done) => done as Done)
  const rounds = yield* inRounds(
    ROUNDS,
    Effect.fnUntraced(function* (index) {
      const order = { changes: 0, events: EVENTS, round: index + 1 }
      const few = yield* obeyed({ ...order, webhooks: FEW, network: FEW_NETWORK })
      const many = yield* obeyed({ ...order, webhooks: WEBHOOKS, network: NETWORK })
      return { few, many }
    })
  )
  const micros = (ms: number) => (ms * 1_000) / EVENTS
  show(
    "route",
    medianOf(rounds, ({ many }) => micros(many.ms)),
    "µs/event",
    {
      ratio: medianOf(rounds, ({ few, many }) => many.ms / few.ms),
      target: 1.5
    }
  )
  show(
    "route.cpu",
    medianOf(rounds, ({ many }) => micros(many.cpuMs)),
    "CPU µs/event",
    {
      ratio: medianOf(rounds, ({ few, many }) => many.cpuMs / few.cpuMs)
    }
  )
  const changes = yield* inRounds(ROUNDS, (index) =>
    obeyed({ changes: CHANGES, events: 1, webhooks: WEBHOOKS, network: NETWORK, round: ROUNDS + 2 + index })
  )
  const changed = (part: "ms" | "cpuMs") => medianOf(changes, (done) => (done[part] * 1_000) / CHANGES)
  show("change", changed("ms"), "µs/change")
  show("change.cpu", changed("cpuMs"), "CPU µs/change")
  show("memory", memory, "MiB", { ratio: memory / MEMORY_MIB, target: 1 })
  show("memory.resident", peakMebibytesOf(pid), "MiB")
})

const benchmark: Benchmark = {
  description: "a process that routes with 100,000 webhooks of 20 account filters: memory, start, routing",
  target: "640 MiB, 10 s, 1.5 times the time of 1,000 webhooks",
  run: measure
}

export default benchmark
