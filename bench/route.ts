/**
 * Measures what routing an event costs as the number of webhooks grows. 10 webhooks want each event. It measures the
 * whole stage (from the event in the log to work), the index alone, and one payload filter. Ratios
 * compare with the smallest number in the same run. Each number of webhooks has its own network in one embedded store,
 * so that rounds can alternate.
 */
import { Effect, Latch, Layer } from "effect"
import { UsageStore } from "../src/spine/deliveries/UsageStore.ts"
import { CONFIG_TOPIC } from "../src/spine/domain/Webhook.ts"
import { eventsTopic } from "../src/spine/event/LedgerEvent.ts"
import type { Network } from "../src/spine/event/Network.ts"
import * as EmbeddedLog from "../src/spine/log/embedded/EmbeddedLog.ts"
import { Log } from "../src/spine/log/Log.ts"
import { AccountHolds } from "../src/spine/registry/AccountHolds.ts"
import { route } from "../src/spine/route/Route.ts"
import { RoutedWebhooks } from "../src/spine/route/RoutedWebhooks.ts"
import { makeWebhookIndex } from "../src/spine/route/WebhookIndex.ts"
import { Outbox } from "../src/spine/store/outbox/Outbox.ts"
import { SecretBox } from "../src/spine/store/secrets/SecretBox.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { payloadFilterFigures } from "./support/payloadFilters.ts"
import { inRounds, medianOf, timed, timedSync } from "./support/rounds.ts"
import { storeLayer } from "./support/store.ts"
import { MATCHES, wantedEvents, wantingWebhooks } from "./support/wantedEvents.ts"
import { SECRET } from "./support/webhooks.ts"

const TARGET = 1.5
const STAGE_ROUNDS = 6
const INDEX_ROUNDS = 9
const STAGE_EVENTS = 500
const INDEX_EVENTS = 20_000
const BODY_BYTES = 1_024
/** How many records one transaction appends. */
const CHUNK = 2_000

interface Size {
  readonly webhooks: number
  readonly network: Network
}

const sizes: ReadonlyArray<Size> = [
  { webhooks: 100, network: "testnet" },
  { webhooks: 10_000, network: "devnet" },
  { webhooks: 100_000, network: "mainnet" }
]

/** Counts what route has queued and committed, by observing its transactions. */
const makeProgress = () => {
  const committed = new Map<string, number>()
  let queued = 0
  let moved = Latch.makeUnsafe()
  const until = (topic: string, offset: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      (committed.get(topic) ?? 0) >= offset
        ? Effect.void
        : Effect.flatMap(Latch.await(moved), () => until(topic, offset))
    )
  const log = Layer.effect(
    Log,
    Effect.map(Log, (log) =>
      Log.of({
        ...log,
        transaction: (transaction) =>
          Effect.tap(log.transaction(transaction), () =>
            Effect.sync(() => {
              if (transaction.commit === undefined) return
              queued += transaction.append.length
              for (const { topic, offset } of transaction.commit.positions) committed.set(topic, offset)
              const waiting = moved
              moved = Latch.makeUnsafe()
              waiting.openUnsafe()
            })
          )
      })
    )
  )
  return { until, queued: () => queued, log }
}

const stageLayer = (log: Layer.Layer<Log, never, Log>) =>
  Layer.mergeAll(Layer.provide(AccountHolds.layer, UsageStore.layer), RoutedWebhooks.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Outbox.layer, SecretBox.layer, Layer.provide(log, EmbeddedLog.layer))),
    Layer.provideMerge(storeLayer())
  )

const measureStage = Effect.gen(function* () {
  const progress = makeProgress()
  return yield* Effect.gen(function* () {
    const log = yield* Log
    const secrets = yield* SecretBox
    const sealed = secrets.seal(SECRET)
    for (const { webhooks, network } of sizes) {
      const configs = wantingWebhooks(webhooks, network, sealed)
      for (let from = 0; from < configs.length; from += CHUNK)
        yield* log.transaction({
          append: configs
            .slice(from, from + CHUNK)
            .map((config) => ({ topic: CONFIG_TOPIC, key: config.id, value: JSON.stringify(config) }))
        })
    }
    yield* (yield* RoutedWebhooks).upToDate
    yield* Effect.forkScoped(route(sizes.map(({ network }) => network)))

    const micros = Effect.fnUntraced(function* ({ webhooks, network }: Size, round: number) {
      const topic = eventsTopic(network)
      const events = wantedEvents(STAGE_EVENTS, network, webhooks, BODY_BYTES, round)
      const append = events.map((event) => ({ topic, key: network, value: JSON.stringify(event) }))
      const before = progress.queued()
      const ms = yield* timed(
        Effect.andThen(log.transaction({ append }), progress.until(topic, (round + 1) * STAGE_EVENTS))
      )
      const found = progress.queued() - before
      if (found !== STAGE_EVENTS * MATCHES) throw new Error(`${found} deliveries of ${STAGE_EVENTS} events`)
      return (ms * 1_000) / STAGE_EVENTS
    })
    return yield* inRounds(
      STAGE_ROUNDS,
      Effect.fnUntraced(function* (round: number) {
        const measured: Array<number> = []
        // Each round starts with another size, because the first one runs with caches that other work has filled.
        for (let i = 0; i < sizes.length; i++) {
          const place = (round + i) % sizes.length
          measured[place] = yield* micros(sizes[place]!, round)
        }
        return measured
      })
    )
  }).pipe(Effect.scoped, Effect.provide(stageLayer(progress.log)))
})

const makeIndex = ({ webhooks, network }: Size) => {
  const index = makeWebhookIndex()
  for (const config of wantingWebhooks(webhooks, network, "sealed")) index.set(config.id, config)
  const events = wantedEvents(INDEX_EVENTS, network, webhooks, 0, 0)
  const match = () => {
    let found = 0
    for (const event of events) found += index.match(event).length
    if (found !== INDEX_EVENTS * MATCHES) throw new Error(`${found} matches among ${INDEX_EVENTS} events`)
  }
  return () => (timedSync(match) * 1_000) / INDEX_EVENTS
}

const measureIndex = Effect.suspend(() => {
  const indexes = sizes.map(makeIndex)
  return inRounds(INDEX_ROUNDS, () => Effect.sync(() => indexes.map((micros) => micros())), 2)
})

const figures = (
  name: string,
  rounds: ReadonlyArray<ReadonlyArray<number>>,
  target: number | null
): ReadonlyArray<Figure> =>
  sizes.map(({ webhooks }, i) => ({
    name: `${name}.${webhooks}`,
    value: medianOf(rounds, (micros) => micros[i]!),
    unit: "µs/event",
    ratio: i === 0 ? null : medianOf(rounds, (micros) => micros[i]! / micros[0]!),
    target: i === 0 ? null : target,
    better: "lower"
  }))

const benchmark: Benchmark = {
  description: `routing events to 100, 10,000 and 100,000 webhooks, ${MATCHES} of which want each event`,
  target: `an event costs at 100,000 at most ${TARGET} × what it costs at 100`,
  run: Effect.fnUntraced(function* (report) {
    for (const figure of figures("route", yield* measureStage, TARGET)) report(figure)
    for (const figure of figures("route.index", yield* measureIndex, null)) report(figure)
    for (const figure of yield* payloadFilterFigures) report(figure)
  })
}

export default benchmark
