/**
 * Measures how fast ingest catches up: the rippled source, checks, detection and the embedded log, from a ledger server
 * in a separate process that has the ledgers in memory. The ceiling is `JSON.parse` of the same texts, in alternate
 * rounds.
 */
import { Effect, Layer } from "effect"
import { detectLedger } from "../src/spine/detect/Detect.ts"
import { ledgersTopic } from "../src/spine/event/LedgerEvent.ts"
import { ingest } from "../src/spine/ledger/ingest/Ingest.ts"
import * as RippledSource from "../src/spine/ledger/servers/RippledSource.ts"
import * as EmbeddedLog from "../src/spine/log/embedded/EmbeddedLog.ts"
import { Log } from "../src/spine/log/Log.ts"
import { Health } from "../src/spine/observe/Health.ts"
import type { Benchmark } from "./support/Benchmark.ts"
import { type Child, startChild } from "./support/Child.ts"
import { answerText, FIRST_LEDGER_INDEX, makeLedgers, TRANSACTIONS_PER_LEDGER } from "./support/ledgers.ts"
import { inRounds, medianOf, timed, timedSync } from "./support/rounds.ts"
import { storeLayer } from "./support/store.ts"
import { NETWORK } from "./support/webhooks.ts"

const ROUNDS = 7
const WARM_UPS = 2
/** How many ledgers ingest reads in a round. */
const BEHIND = 100
const LEDGERS = (ROUNDS + WARM_UPS) * BEHIND

const measure = Effect.fnUntraced(function* (server: Child, port: unknown) {
  const log = yield* Log
  const texts = makeLedgers(LEDGERS).map((ledger) => answerText(1, ledger))
  yield* ingest({ network: NETWORK, start: FIRST_LEDGER_INDEX + 1, detect: detectLedger }).pipe(
    Effect.provide(RippledSource.layer({ network: NETWORK, urls: [`ws://127.0.0.1:${port}`] })),
    Effect.forkScoped
  )
  return yield* inRounds(
    ROUNDS,
    Effect.fnUntraced(function* (index: number) {
      const last = (index + 1) * BEHIND
      const caughtUp = log.awaitOffset({ topic: ledgersTopic(NETWORK), partition: 0, offset: last - 1 })
      const ingestMs = yield* timed(Effect.andThen(server.ask(last), caughtUp))
      const parseMs = timedSync(() => {
        for (const text of texts.slice(last - BEHIND, last)) JSON.parse(text)
      })
      return { ingestMs, parseMs }
    }),
    WARM_UPS
  )
})

const benchmark: Benchmark = {
  description: `catch-up of ${TRANSACTIONS_PER_LEDGER}-transaction ledgers from a local server into the embedded log, beside JSON.parse`,
  target: "reported",
  run: Effect.fnUntraced(function* (report) {
    const server = yield* startChild("ledgerServerProgram.ts", [String(LEDGERS)])
    const port = yield* server.ask()
    const rounds = yield* measure(server, port).pipe(
      Effect.scoped,
      Effect.provide(Layer.merge(Layer.provide(EmbeddedLog.layer, storeLayer()), Health.layer))
    )
    const reported = { target: null, better: "higher" } as const
    const ledgersPerSecond = (ms: number) => (BEHIND / ms) * 1_000
    const ratio = medianOf(rounds, ({ ingestMs, parseMs }) => parseMs / ingestMs)
    const value = medianOf(rounds, ({ ingestMs }) => ledgersPerSecond(ingestMs))
    report({ ...reported, name: "catchup", value, unit: "ledgers/s", ratio })
    report({
      ...reported,
      name: "catchup.transactions",
      value: value * TRANSACTIONS_PER_LEDGER,
      unit: "transactions/s",
      ratio
    })
    report({
      ...reported,
      name: "catchup.ceiling",
      value: medianOf(rounds, ({ parseMs }) => ledgersPerSecond(parseMs)),
      unit: "ledgers/s parsed",
      ratio: null
    })
  })
}

export default benchmark
