/**
 * Measures the whole program as an operator runs it: `ledgerhook start` reads ledgers from a local server, delivers
 * their events and records the deliveries. The ceiling is bare POSTs of the same bodies to the same receiver, in
 * alternate rounds; for `chain.paused` it is the time without the paused webhooks. It runs on the embedded store, and on
 * PostgreSQL with Kafka if a broker can be started. It reads /proc, so it needs Linux.
 */
import { Effect, Schedule } from "effect"
import { type SignedRequest, signedRequest } from "../src/spine/deliver/send/Signer.ts"
import type { LedgerEvent } from "../src/spine/event/LedgerEvent.ts"
import { deliveryId } from "../src/spine/words/Ids.ts"
import { missing } from "../test/kafka/broker.ts"
import { createWebhook, waitUntil } from "../test/support/http/apiClient.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { besidePaused } from "./support/besidePaused.ts"
import { startChild } from "./support/Child.ts"
import { cpuSecondsBelow, cpuSecondsOf, memoryMebibytesOf } from "./support/cpu.ts"
import { brokers, databaseUrl } from "./support/kafka.ts"
import { eventsOf } from "./support/ledgerEvents.ts"
import { FIRST_LEDGER_INDEX, makeLedgers } from "./support/ledgers.ts"
import { makePosts } from "./support/posts.ts"
import { inRounds, medianOf, timed } from "./support/rounds.ts"
import { SECRET } from "./support/webhooks.ts"
import { startProgram } from "./support/wholeProgram.ts"

const ROUNDS = 3
const WARM_UPS = 1
/** So many that a webhook cannot take a round's events at once, and most of them wait. */
const LEDGERS_PER_ROUND = 50
const LEDGERS = (ROUNDS + WARM_UPS) * LEDGERS_PER_ROUND
const TRANSACTIONS = 200
const MAX_IN_FLIGHT = 16
/** The detection time in the bare requests. Any time will do. */
const DETECTED_MS = Date.parse("2026-11-21T09:30:00.000Z")
const MEMORY_EVERY = "200 millis"
const MEMORY_TARGET = 300
const PAUSED_TARGET = 1.5

interface Variant {
  readonly name: string
  readonly webhooks: number
  /** True: every event goes to all webhooks. False: to one of them. */
  readonly fanOut: boolean
  /** What the last webhooks do with each request instead of answering it. Nothing of theirs is counted. */
  readonly bad?: ReadonlyArray<"/hang" | "/drip">
  readonly onKafka?: true
  readonly rateTarget: number | null
  readonly cpuTarget: number | null
}

const variants: ReadonlyArray<Variant> = [
  { name: "chain.1", webhooks: 1, fanOut: false, rateTarget: 0.2, cpuTarget: 5.2 },
  { name: "chain.10", webhooks: 10, fanOut: false, rateTarget: 0.2, cpuTarget: 5.2 },
  { name: "chain.fanout", webhooks: 10, fanOut: true, rateTarget: 0.28, cpuTarget: 3.6 },
  {
    name: "chain.beside",
    webhooks: 10,
    fanOut: false,
    bad: ["/hang", "/drip"],
    rateTarget: null,
    cpuTarget: null
  },
  { name: "chain.kafka", webhooks: 10, fanOut: false, onKafka: true, rateTarget: null, cpuTarget: null }
]

/** Event types of each webhook, so that all get about as many events; all types for each where events fan out. */
const typesOf = (events: ReadonlyArray<LedgerEvent>, { webhooks, fanOut }: Variant) => {
  const shares = Array.from({ length: webhooks }, () => ({ events: 0, types: new Set<string>() }))
  const byType = [...Map.groupBy(events, ({ event_type }) => event_type)].toSorted(
    ([, a], [, b]) => b.length - a.length
  )
  for (const [type, { length }] of byType) {
    const least = shares.reduce((a, b) => (b.events < a.events ? b : a))
    for (const share of fanOut ? shares : [least]) {
      share.events += length
      share.types.add(type)
    }
  }
  return shares.map(({ types }) => types)
}

/** Starts the service and makes webhooks that want those types. Its `recorded` waits for that many deliveries. */
const startChain = Effect.fnUntraced(function* (
  program: string,
  environment: Readonly<Record<string, string>>,
  urls: ReadonlyArray<string>,
  types: ReadonlyArray<ReadonlySet<string>>
) {
  const { pid, client } = yield* startProgram(program, environment)
  const ids = yield* Effect.forEach(urls, (url, i) =>
    Effect.map(
      createWebhook(client, { url, event_types: [...types[i]!], max_in_flight: MAX_IN_FLIGHT }),
      ({ id }) => id
    )
  )
  const recorded = (deliveries: number) =>
    waitUntil(
      Effect.map(
        client.call("GET", "/v1/deliveries/stats"),
        ({ body }) => Number(body["delivered"]) >= deliveries
      ),
      "60 seconds"
    )
  return { pid, ids, recorded }
})

const measure = Effect.fnUntraced(function* (variant: Variant, program: string) {
  const server = yield* startChild("ledgerServerProgram.ts", [String(LEDGERS), String(TRANSACTIONS)])
  const receiver = yield* startChild("receiverProgram.ts")
  const ledgers = makeLedgers(LEDGERS, TRANSACTIONS).map(({ result }) =>
    eventsOf(JSON.parse(result), DETECTED_MS)
  )
  const types = typesOf(ledgers.flat(), variant)
  const receiverPort = yield* receiver.ask()
  const { bad = [] } = variant
  const healthy = types.length - bad.length
  const urls = types.map((_, i) => `http://127.0.0.${i + 1}:${receiverPort}${bad[i - healthy] ?? "/hook"}`)
  const environment = {
    XRPL_MAINNET_URLS: `ws://127.0.0.1:${yield* server.ask()}`,
    XRPL_MAINNET_START: String(FIRST_LEDGER_INDEX + 1),
    ...(variant.onKafka && {
      DATABASE_URL: yield* databaseUrl,
      KAFKA_BROKERS: yield* brokers,
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
    })
  }
  const { pid, ids, recorded } = yield* startChain(program, environment, urls, types)
  let memory = 0
  yield* Effect.sync(() => {
    memory = Math.max(memory, memoryMebibytesOf(pid))
  }).pipe(Effect.repeat(Schedule.spaced(MEMORY_EVERY)), Effect.forkScoped)

  const posts = yield* makePosts
  /** The bare requests of a round, by webhook. */
  const requestsOf = (round: number): ReadonlyArray<ReadonlyArray<SignedRequest>> => {
    const events = ledgers.slice(round * LEDGERS_PER_ROUND, (round + 1) * LEDGERS_PER_ROUND).flat()
    return ids.slice(0, healthy).map((id, i) =>
      events
        .filter(({ event_type }) => types[i]!.has(event_type))
        .map((event) =>
          signedRequest({
            url: new URL(urls[i]!),
            headers: {},
            secrets: [SECRET],
            webhookId: id,
            deliveryId: deliveryId(event.detected_at, event.position, id, event.event_id),
            event,
            nowMs: event.detected_at
          })
        )
    )
  }
  const received = Effect.map(receiver.ask("count"), Number)
  const until = (count: number) =>
    waitUntil(
      Effect.map(received, (now) => now >= count),
      "180 seconds"
    )

  /** Without those of the bare POSTs. */
  let delivered = 0
  const round = Effect.fnUntraced(function* (index: number) {
    const lists = requestsOf(index)
    const items = lists.reduce((sum, { length }) => sum + length, 0)
    const before = yield* received
    const chainAll = cpuSecondsBelow([server.process.pid])
    const [program, below] = [cpuSecondsOf(pid), cpuSecondsBelow([], pid)]
    const chainMs = yield* timed(
      Effect.andThen(server.ask((index + 1) * LEDGERS_PER_ROUND), until(before + items))
    )
    delivered += items
    yield* recorded(delivered)
    const chain = {
      ms: chainMs,
      all: cpuSecondsBelow([server.process.pid]) - chainAll,
      program: cpuSecondsOf(pid) - program,
      database: cpuSecondsBelow([], pid) - below
    }
    const [own, receiverBefore] = [process.cpuUsage(), cpuSecondsOf(receiver.process.pid!)]
    const bareMs = yield* timed(posts.send(lists, MAX_IN_FLIGHT))
    const { user, system } = process.cpuUsage(own)
    const bareCpu = (user + system) / 1e6 + cpuSecondsOf(receiver.process.pid!) - receiverBefore
    return { items, chain, bare: { ms: bareMs, all: bareCpu } }
  })
  const rounds = yield* inRounds(ROUNDS, round, WARM_UPS)
  return { rounds, memory }
})

const pausedFigures = ({
  quiet,
  paused
}: Effect.Success<ReturnType<typeof besidePaused>>): ReadonlyArray<Figure> =>
  (
    [
      ["p50", "p50Ms", "ms", PAUSED_TARGET],
      ["p99", "p99Ms", "ms", null],
      ["cpu", "cpu", "CPU s per 1,000", null]
    ] as const
  ).map(([part, key, unit, target]) => ({
    name: `chain.paused.${part}`,
    value: paused[key],
    unit,
    ratio: paused[key] / quiet[key],
    target,
    better: "lower"
  }))

const benchmark: Benchmark = {
  description: `ledgers of ${TRANSACTIONS} transactions from a local server to recorded deliveries, by the whole program, beside bare POSTs`,
  target:
    "0.20 of the rate of bare POSTs at 5.2 × their CPU, 0.28 at 3.6 × where an event goes to 10; 300 MiB; beside 200 paused webhooks at most 1.5 × the time",
  wholeProgram: true,
  run: Effect.fnUntraced(function* (report, program) {
    const lacking = missing()
    if (lacking !== undefined) yield* Effect.logWarning(`chain.kafka is left out: there is no ${lacking}`)
    for (const variant of variants) {
      if (variant.onKafka && lacking !== undefined) continue
      const { rounds, memory } = yield* Effect.scoped(measure(variant, program))
      const perSecond = (ms: number, items: number) => (items / ms) * 1_000
      const perThousand = (seconds: number, items: number) => (seconds / items) * 1_000
      const { name, rateTarget, cpuTarget } = variant
      report({
        name,
        value: medianOf(rounds, ({ items, chain }) => perSecond(chain.ms, items)),
        unit: "deliveries/s",
        ratio: medianOf(rounds, ({ chain, bare }) => bare.ms / chain.ms),
        target: rateTarget,
        better: "higher"
      })
      report({
        name: `${name}.ceiling`,
        value: medianOf(rounds, ({ items, bare }) => perSecond(bare.ms, items)),
        unit: "POSTs/s",
        ratio: null,
        target: null,
        better: "higher"
      })
      // With Kafka the database is not a child of the program, so it counts in `all` only.
      for (const part of variant.onKafka
        ? (["all", "program"] as const)
        : (["all", "program", "database"] as const))
        report({
          name: `${name}.cpu.${part}`,
          value: medianOf(rounds, ({ items, chain }) => perThousand(chain[part], items)),
          unit: "CPU s per 1,000",
          ratio: medianOf(rounds, ({ chain, bare }) => chain[part] / bare.all),
          target: part === "all" ? cpuTarget : null,
          better: "lower"
        })
      report({
        name: `${name}.memory`,
        value: memory,
        unit: "MiB",
        ratio: memory / MEMORY_TARGET,
        target: 1,
        better: "lower"
      })
    }
    for (const figure of pausedFigures(yield* Effect.scoped(besidePaused(program)))) report(figure)
  })
}

export default benchmark
