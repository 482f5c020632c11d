/**
 * Measures the time from a ledger's announcement to the arrival of its deliveries, with the whole chain in one process
 * on the embedded store. The ceiling is a bare pipeline without a store (fetch, parse, detect, match, sign, POST) with
 * the same ledgers and webhooks. Both alternate, one ledger at a time.
 */
import { Effect, Layer } from "effect"
import { WebSocket } from "ws"
import { deliver } from "../src/spine/deliver/Deliver.ts"
import { signedRequest } from "../src/spine/deliver/send/Signer.ts"
import { detectLedger } from "../src/spine/detect/Detect.ts"
import { addressOfAccountId } from "../src/spine/event/AccountId.ts"
import { eventTypes } from "../src/spine/event/EventType.ts"
import { ingest } from "../src/spine/ledger/ingest/Ingest.ts"
import * as RippledSource from "../src/spine/ledger/servers/RippledSource.ts"
import { Health } from "../src/spine/observe/Health.ts"
import { route } from "../src/spine/route/Route.ts"
import { makeWebhookIndex } from "../src/spine/route/WebhookIndex.ts"
import { deliveryId } from "../src/spine/words/Ids.ts"
import type { Arrival } from "./support/arrivalsProgram.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { type Child, startChild } from "./support/Child.ts"
import { deliveringLayer } from "./support/delivering.ts"
import { makeFeed } from "./support/feed.ts"
import { eventsOf } from "./support/ledgerEvents.ts"
import { FIRST_LEDGER_INDEX, type MadeLedger, makeLedgers } from "./support/ledgers.ts"
import { makePosts } from "./support/posts.ts"
import { quantile } from "./support/rounds.ts"
import { makeWebhooks, NETWORK, SECRET } from "./support/webhooks.ts"

const NOBODYS_ACCOUNT = addressOfAccountId("B".repeat(40))

const P99_TARGET = 5
const TRANSACTIONS = 200
const LEDGERS = 20
const WARM_UPS = 5
const WEBHOOKS = 1_000
const MAX_IN_FLIGHT = 16
const LOOK_MS = 20

const now = () => performance.timeOrigin + performance.now()

/** One account for each webhook. Every second one is in no ledger, so that some 10 webhooks want each event. */
const filtersFor = (ledgers: ReadonlyArray<MadeLedger>): ReadonlyArray<ReadonlyArray<string>> => {
  const accounts = [
    ...new Set(
      ledgers.flatMap(({ result }) => eventsOf(JSON.parse(result), 0).flatMap((event) => event.accounts))
    )
  ]
  return Array.from({ length: WEBHOOKS }, (_, i) => [accounts[i % (accounts.length * 2)] ?? NOBODYS_ACCOUNT])
}

const urlsAt = (port: unknown, path: string): ReadonlyArray<string> =>
  Array.from({ length: WEBHOOKS }, (_, i) => `http://127.0.${i >> 7}.${(i & 127) + 1}:${port}${path}`)

/** Returns an effect that ends when the next ledger's requests are answered, with the number of these requests. */
const makeBare = Effect.fnUntraced(function* (
  port: unknown,
  ids: ReadonlyArray<string>,
  urls: ReadonlyArray<string>,
  filters: ReadonlyArray<ReadonlyArray<string>>
) {
  const posts = yield* makePosts
  const index = makeWebhookIndex()
  const urlOf = new Map(ids.map((id, i) => [id, new URL(urls[i]!)]))
  for (const [i, id] of ids.entries())
    index.set(id, {
      id,
      account_id: "acct_benchmark",
      network: NETWORK,
      status: "active",
      url: urls[i]!,
      event_types: eventTypes,
      account_filters: filters[i]!,
      headers: {},
      max_in_flight: MAX_IN_FLIGHT,
      max_per_second: null,
      sealed_secret: ""
    })
  const socket = yield* Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const opening = new WebSocket(`ws://127.0.0.1:${port}`)
      opening.once("open", () => resume(Effect.succeed(opening)))
    }),
    (open) => Effect.sync(() => open.terminate())
  )
  socket.send(JSON.stringify({ id: 0, command: "subscribe", streams: ["ledger"] }))
  const requestsOf = (text: string) => {
    const events = eventsOf(JSON.parse(text).result, Math.floor(now()))
    return Map.groupBy(
      events.flatMap((event) => {
        return index.match(event).map(({ id }) =>
          signedRequest({
            url: urlOf.get(id)!,
            headers: {},
            secrets: [SECRET],
            webhookId: id,
            deliveryId: deliveryId(event.detected_at, event.position, id, event.event_id),
            event,
            nowMs: event.detected_at
          })
        )
      }),
      ({ url }) => url.href
    )
  }
  const answered = Effect.callback<string>((resume) => {
    const look = (data: unknown) => {
      const text = String(data)
      if (text.startsWith('{"type":"ledgerClosed"'))
        socket.send(JSON.stringify({ id: 1, command: "ledger", ledger_index: JSON.parse(text).ledger_index }))
      else if (text.startsWith('{"id":1,')) {
        socket.off("message", look)
        resume(Effect.succeed(text))
      }
    }
    socket.on("message", look)
  })
  return Effect.gen(function* () {
    const lists = [...requestsOf(yield* answered).values()]
    yield* posts.send(lists, MAX_IN_FLIGHT)
    return lists.reduce((sum, list) => sum + list.length, 0)
  })
})

interface Latencies {
  readonly chain: ReadonlyArray<number>
  readonly bare: ReadonlyArray<number>
}

const measure = Effect.gen(function* () {
  const arguments_ = [String(LEDGERS + WARM_UPS), String(TRANSACTIONS)]
  const server = yield* startChild("ledgerServerProgram.ts", arguments_)
  const bareServer = yield* startChild("ledgerServerProgram.ts", arguments_)
  const receiver = yield* startChild("arrivalsProgram.ts")
  const serverPort = yield* server.ask()
  const barePort = yield* bareServer.ask()
  const receiverPort = yield* receiver.ask()
  const filters = filtersFor(makeLedgers(LEDGERS + WARM_UPS, TRANSACTIONS))

  /** Announces ledgers up to `known` and waits for `count` arrivals. */
  const arrivalsOf = Effect.fnUntraced(function* (from: Child, known: number, count: () => number) {
    const announced = now()
    yield* from.ask(known)
    const waited: Array<number> = []
    while (waited.length < count()) {
      yield* Effect.sleep(LOOK_MS)
      // Sent by support/arrivalsProgram.ts.
      const arrivals = (yield* receiver.ask("arrivals")) as ReadonlyArray<Arrival>
      for (const [, , atMs] of arrivals) waited.push(atMs - announced)
    }
    return waited
  })

  const work = Effect.gen(function* () {
    const { ids } = yield* makeWebhooks(urlsAt(receiverPort, "/hook"), {
      filters,
      maxInFlight: MAX_IN_FLIGHT
    })
    const source = RippledSource.layer({ network: NETWORK, urls: [`ws://127.0.0.1:${serverPort}`] })
    yield* Effect.forkScoped(
      Effect.raceAllFirst([
        Effect.provide(
          ingest({ network: NETWORK, start: FIRST_LEDGER_INDEX + 1, detect: detectLedger }),
          source
        ),
        route([NETWORK]),
        deliver
      ])
    )
    const bare = yield* makeBare(barePort, ids, urlsAt(receiverPort, "/bare"), filters)
    const latencies = { chain: [] as number[], bare: [] as number[] }
    for (let ledger = 1; ledger <= LEDGERS + WARM_UPS; ledger++) {
      let sent = Number.POSITIVE_INFINITY
      const [count, bareWaits] = yield* Effect.all(
        [
          Effect.tap(bare, (requests) =>
            Effect.sync(() => {
              sent = requests
            })
          ),
          arrivalsOf(bareServer, ledger, () => sent)
        ],
        { concurrency: "unbounded" }
      )
      const waits = yield* arrivalsOf(server, ledger, () => count)
      if (ledger <= WARM_UPS) continue
      latencies.bare.push(...bareWaits)
      latencies.chain.push(...waits)
    }
    const result: Latencies = latencies
    return result
  })
  return yield* work.pipe(
    Effect.scoped,
    Effect.provide(Layer.merge(deliveringLayer(makeFeed()), Health.layer))
  )
})

const figures = ({ chain, bare }: Latencies): ReadonlyArray<Figure> =>
  (
    [
      ["p50", 0.5],
      ["p99", 0.99],
      ["p99.9", 0.999]
    ] as const
  ).flatMap(([name, part]): ReadonlyArray<Figure> => {
    const value = quantile(chain, part)
    const ceiling = quantile(bare, part)
    const reported = { unit: "ms", better: "lower" } as const
    return [
      {
        ...reported,
        name: `latency.${name}`,
        value,
        ratio: value / ceiling,
        target: name === "p99" ? P99_TARGET : null
      },
      { ...reported, name: `latency.${name}.ceiling`, value: ceiling, ratio: null, target: null }
    ]
  })

const benchmark: Benchmark = {
  description: `from a ledger of ${TRANSACTIONS} transactions to its POSTs, ${WEBHOOKS} webhooks, beside a bare pipeline without store`,
  target: `p99 at most ${P99_TARGET} ×`,
  run: Effect.fnUntraced(function* (report) {
    for (const figure of figures(yield* measure)) report(figure)
  })
}

export default benchmark
