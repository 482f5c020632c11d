/**
 * Measures one event that 100,000 webhooks want, each with a host of its own: the service routes it and delivers it to
 * a local receiver, while another webhook gets an event a second. It has all roles but `ingest`, whose part the
 * benchmark does, on the embedded store. Afterwards it measures GET /metrics with the deliveries of all bursts in the
 * tables. It reads /proc, so it needs Linux.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Schedule } from "effect"
import { addressOfAccountId } from "../src/spine/event/AccountId.ts"
import type { LedgerEvent } from "../src/spine/event/LedgerEvent.ts"
import * as EmbeddedLog from "../src/spine/log/embedded/EmbeddedLog.ts"
import { SecretBox } from "../src/spine/store/secrets/SecretBox.ts"
import { deliveryId } from "../src/spine/words/Ids.ts"
import type { Arrival } from "./support/arrivalsProgram.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { type Child, startChild } from "./support/Child.ts"
import { cpuSecondsBelow, cpuSecondsOf, memoryMebibytesOf } from "./support/cpu.ts"
import { median, medianOf, quantile } from "./support/rounds.ts"
import { storeLayer } from "./support/store.ts"
import { makeEvents, makeWebhooks } from "./support/webhooks.ts"

const WEBHOOKS = 100_000
/** Webhooks of one account. */
const PER_ACCOUNT = 100
const BURSTS = 3
/** Events of the other webhook before each burst, whose delays are compared with those meanwhile. */
const QUIET_EVENTS = 10
const EVERY_MS = 1_000
const MOST_SECONDS = 600
const BODY_BYTES = 1_024
const MEMORY_EVERY = "250 millis"
const SCRAPES = 500
const SCRAPE_MS = 5
/** Addresses of 127.0.0.0/8: hosts of the second and third byte. */
const HOSTS = 250

const BURST_ACCOUNT = addressOfAccountId("A".repeat(40))
const OTHER_ACCOUNT = addressOfAccountId("B".repeat(40))

const hostOf = (i: number) =>
  `127.${1 + Math.floor(i / HOSTS ** 2)}.${Math.floor(i / HOSTS) % HOSTS}.${1 + (i % HOSTS)}`

const eventOf = (account: string, series: number): LedgerEvent => ({
  ...makeEvents(1, BODY_BYTES, series)[0]!,
  accounts: [account],
  detected_at: Math.floor(performance.timeOrigin + performance.now())
})

/** Returns the id of the other webhook. `ports`: of the receivers. */
const seed = (
  environment: Readonly<Record<string, string>>,
  ports: { readonly burst: unknown; readonly other: unknown }
) =>
  Effect.gen(function* () {
    for (let from = 0; from < WEBHOOKS; from += PER_ACCOUNT) {
      const urls = Array.from(
        { length: Math.min(PER_ACCOUNT, WEBHOOKS - from) },
        (_, i) => `http://${hostOf(from + i)}:${ports.burst}/hook`
      )
      const filters = urls.map(() => [BURST_ACCOUNT])
      yield* makeWebhooks(urls, { accountId: `acct_${from}`, filters })
    }
    const { ids } = yield* makeWebhooks([`http://127.0.0.1:${ports.other}/hook`], {
      accountId: "acct_other",
      filters: [[OTHER_ACCOUNT]]
    })
    return ids[0]!
  }).pipe(
    Effect.provide(
      Layer.mergeAll(SecretBox.layer, EmbeddedLog.layer).pipe(Layer.provideMerge(storeLayer(environment)))
    )
  )

interface Burst {
  /** Milliseconds from the append of the event until each arrival, ascending. */
  readonly arrivedMs: ReadonlyArray<number>
  /** CPU seconds until all is recorded. */
  readonly program: number
  readonly database: number
  /** Delays of the other webhook's deliveries before the burst, and of those appended during it. */
  readonly quietMs: ReadonlyArray<number>
  readonly otherMs: ReadonlyArray<number>
}

/** Repeated once: a busy service may close a kept connection just when a request is sent. */
const scrape = (origin: string) =>
  Effect.tryPromise(() => fetch(`${origin}/metrics`).then((response) => response.text())).pipe(
    Effect.retry({ times: 1 }),
    Effect.orDie
  )

/** Attempts that the service has recorded since its start. */
const recordedOf = (metrics: string): number =>
  [...metrics.matchAll(/^ledgerhook_delivery_attempts_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0
  )

interface Running {
  readonly service: Child
  readonly receiver: Child
  /** Of the other webhook, so that it does not wait for the burst's receiver. */
  readonly otherReceiver: Child
  readonly origin: string
  readonly otherId: string
}

const burst = Effect.fnUntraced(function* (
  { service, receiver, otherReceiver, origin, otherId }: Running,
  firstSeries: number
) {
  const pid = service.process.pid!
  let series = firstSeries
  /** When the other webhook's events were appended, by delivery id. */
  const appended = new Map<string, number>()
  const otherDelays = new Map<string, number>()
  const arrivals: Array<number> = []
  const tick = Effect.fnUntraced(function* (events: ReadonlyArray<LedgerEvent>) {
    const other = eventOf(OTHER_ACCOUNT, series++)
    const atMs = Number(yield* service.ask([...events, other]))
    appended.set(deliveryId(other.detected_at, other.position, otherId, other.event_id), atMs)
    yield* Effect.sleep(EVERY_MS)
    // Sent by support/arrivalsProgram.ts.
    for (const [, , arrivedMs] of (yield* receiver.ask("arrivals")) as ReadonlyArray<Arrival>)
      arrivals.push(arrivedMs)
    for (const [id, , arrivedMs] of (yield* otherReceiver.ask("arrivals")) as ReadonlyArray<Arrival>) {
      const since = appended.get(id)
      if (since !== undefined) otherDelays.set(id, arrivedMs - since)
    }
    return atMs
  })
  /** Until all of the other webhook's events have arrived. */
  const caughtUp = Effect.gen(function* () {
    for (let seconds = 0; otherDelays.size < appended.size; seconds++) {
      if (seconds > MOST_SECONDS)
        return yield* Effect.die(new Error("an event of the other webhook is missing"))
      yield* tick([])
    }
  })
  // The first burst waits until the service has read its webhooks.
  yield* tick([])
  yield* caughtUp
  otherDelays.clear()
  appended.clear()
  for (let i = 0; i < QUIET_EVENTS; i++) yield* tick([])
  const quietMs = [...otherDelays.values()]
  otherDelays.clear()
  appended.clear()

  const recordedBefore = recordedOf(yield* scrape(origin))
  const [program, database] = [cpuSecondsOf(pid), cpuSecondsBelow([], pid)]
  const beganMs = yield* tick([eventOf(BURST_ACCOUNT, series++)])
  const recorded = Effect.map(scrape(origin), (metrics) => recordedOf(metrics) - recordedBefore)
  for (let seconds = 1; arrivals.length < WEBHOOKS || (yield* recorded) < WEBHOOKS; seconds++) {
    if (seconds > MOST_SECONDS) return yield* Effect.die(new Error(`${arrivals.length} deliveries arrived`))
    yield* tick([])
  }
  const result = {
    program: cpuSecondsOf(pid) - program,
    database: cpuSecondsBelow([], pid) - database,
    arrivedMs: arrivals.map((atMs) => atMs - beganMs).sort((a, b) => a - b),
    quietMs
  }
  yield* caughtUp
  return { ...result, otherMs: [...otherDelays.values()] } satisfies Burst
})

const measure = Effect.fnUntraced(function* (report: (figure: Figure) => void) {
  const show = (
    name: string,
    value: number,
    unit: string,
    { better = "lower", ratio = null, target = null }: Partial<Figure> = {}
  ) => report({ name: `webhooks.${name}`, value, unit, ratio, target, better })
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-bench-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const environment = { DATA_DIR: folder, SECRETS_KEY: randomBytes(32).toString("base64") }
  const receiver = yield* startChild("arrivalsProgram.ts")
  const otherReceiver = yield* startChild("arrivalsProgram.ts")
  const otherId = yield* seed(environment, {
    burst: yield* receiver.ask(),
    other: yield* otherReceiver.ask()
  })
  const service = yield* startChild("burstProgram.ts", [
    JSON.stringify({
      ...environment,
      ROLES: "api,events,route,deliver,delay,replay",
      HOST: "127.0.0.1",
      PORT: "0",
      // Nothing connects to it: this makes the network one that is routed.
      XRPL_MAINNET_URLS: "ws://127.0.0.1:1"
    })
  ])
  const origin = `http://127.0.0.1:${yield* service.ask()}`
  const pid = service.process.pid!
  const running = { service, receiver, otherReceiver, origin, otherId }

  let memory = 0
  yield* Effect.sync(() => {
    memory = Math.max(memory, memoryMebibytesOf(pid))
  }).pipe(Effect.repeat(Schedule.spaced(MEMORY_EVERY)), Effect.forkScoped)
  const bursts: Array<Burst> = []
  for (let i = 0; i < BURSTS; i++) bursts.push(yield* burst(running, i * 10_000))

  const seconds = (part: (arrivedMs: ReadonlyArray<number>) => number) =>
    medianOf(bursts, ({ arrivedMs }) => part(arrivedMs)) / 1_000
  show("burst", WEBHOOKS / seconds((all) => all.at(-1)!), "deliveries/s", { better: "higher" })
  show(
    "burst.first",
    seconds((all) => all[0]!),
    "s"
  )
  show("burst.median", seconds(median), "s")
  show(
    "burst.last",
    seconds((all) => all.at(-1)!),
    "s"
  )
  const perThousand = (part: "program" | "database") =>
    (medianOf(bursts, (one) => one[part]) / WEBHOOKS) * 1_000
  show("burst.cpu.program", perThousand("program"), "CPU s per 1,000")
  show("burst.cpu.database", perThousand("database"), "CPU s per 1,000")
  show("burst.memory", memory, "MiB")
  const other = bursts.flatMap(({ otherMs }) => otherMs)
  show("burst.other.median", median(other), "ms")
  show("burst.other.worst", quantile(other, 1), "ms")
  show(
    "burst.other.quiet",
    quantile(
      bursts.flatMap(({ quietMs }) => quietMs),
      1
    ),
    "ms"
  )

  yield* Effect.sleep("15 seconds")
  const cpu = cpuSecondsOf(pid)
  const scrapesMs: Array<number> = []
  for (let i = 0; i < SCRAPES; i++) {
    const began = performance.now()
    yield* scrape(origin)
    scrapesMs.push(performance.now() - began)
  }
  show("scrape", median(scrapesMs), "ms", { ratio: median(scrapesMs) / SCRAPE_MS, target: 1 })
  show("scrape.p99", quantile(scrapesMs, 0.99), "ms")
  show("scrape.cpu", ((cpuSecondsOf(pid) - cpu) * 1_000) / SCRAPES, "CPU ms")
})

const benchmark: Benchmark = {
  description:
    "one event for 100,000 webhooks beside another webhook with an event a second; GET /metrics then",
  target: "5 ms for a scrape",
  run: measure
}

export default benchmark
