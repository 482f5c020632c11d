/**
 * Several processes on a real Kafka and PostgreSQL, as an operator spreads the roles: the process that takes the ledgers
 * freezes, and no ledger is taken twice; all are restarted one after the other, and no request fails.
 * faults.kafka.slow.test.ts kills processes.
 */
import { tmpdir } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { ledgerOfEventId } from "../../../src/spine/event/EventId.ts"
import type { EventId } from "../../../src/spine/words/Ids.ts"
import { openStream } from "../../features/events/eventStream.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { apiClient, createWebhook, waitUntil } from "../../support/http/apiClient.ts"
import { makeSimulatedLedger } from "../../support/ledger/simulatedLedger.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { startProgram } from "../../support/program/program.ts"
import { startProcess, startService } from "../../support/program/serviceProcess.ts"
import { databaseProxy } from "../../support/store/databaseProxy.ts"
import { makeDatabase } from "../../support/store/postgres.ts"

const ADMIN_KEY = "svc_live_0123456789abcdefghijklmnopqrstuv"
const SECRETS_KEY = Buffer.alloc(32, 7).toString("base64")

/** A database and topics of the test's own, and a ledger that closes when the test says so. */
const surroundings = Effect.fnUntraced(function* (transactionsPerLedger: number) {
  const kafka = yield* kafkaFor(() => false)
  const proxy = yield* databaseProxy
  const options = yield* makeDatabase
  const database = "database" in options ? String(options.database) : ""
  const address = proxy.connectionTo(database)
  const ledger = yield* makeSimulatedLedger({
    seed: 11,
    networkId: 0,
    transactionsPerLedger,
    hashing: "digest"
  })
  const environment = {
    DATABASE_URL: "url" in address ? Redacted.value(address.url) : "",
    KAFKA_BROKERS: kafka.brokers.join(","),
    KAFKA_TOPIC_PREFIX: kafka.topicPrefix,
    ADMIN_KEY,
    SECRETS_KEY,
    XRPL_MAINNET_URLS: ledger.url,
    XRPL_MAINNET_START: String((yield* ledger.head).header.ledger_index),
    DELIVERY_ALLOW_HTTP: "true",
    DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true"
  }
  return { environment, ledger }
})

/** A ledger of the stream of ledgers. */
interface Shown {
  readonly ledger_index: number
  readonly webhooks: ReadonlyArray<{ readonly answered: number }>
}

interface Coverage {
  readonly head: { readonly ledger_index: number } | null
  readonly catching_up: unknown
  readonly ranges: ReadonlyArray<unknown>
}

const started = (environment: Readonly<Record<string, string>>, roles: string) =>
  startProcess({ ...environment, ROLES: roles, LOG_LEVEL: "info" }, /starting/)

/** How often a load balancer asks `/readyz/traffic`. */
const CHECK_EVERY = "1 second"
const ROUNDS = 2

/** A process with all roles, which a load balancer has found ready. */
const startReady = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const program = yield* startProgram(["start"], {
    cwd: tmpdir(),
    environment: { PORT: "0", LOG_LEVEL: "warn", ...environment }
  })
  const url = (yield* program.printed(/Ledgerhook API: /)).replace("Ledgerhook API: ", "")
  const isReady = Effect.promise(() =>
    fetch(`${url}/readyz/traffic`).then(
      ({ status }) => status === 200,
      () => false
    )
  )
  yield* waitUntil(isReady, "60 seconds")
  return { program, url, isReady }
})

const closeUntil = Effect.fnUntraced(function* (
  ledger: Effect.Success<ReturnType<typeof makeSimulatedLedger>>,
  expected: Array<string>,
  count: number
) {
  while (expected.length < count) expected.push(...expectedEventIds(yield* ledger.close))
})

describe.skipIf(kafkaBrokers().length === 0)("several processes on Kafka", () => {
  it.live(
    "take every ledger once, though the process that takes them freezes and wakes again",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { environment, ledger } = yield* surroundings(50)
          const receiver = yield* makeReceiver()
          const first = yield* started(environment, "ingest")
          const api = yield* startService({ ...environment, ROLES: "api,route,deliver,delay" })
          const client = apiClient(api.apiUrl, ADMIN_KEY)
          yield* createWebhook(client, { url: receiver.url, event_types: ["*"] })
          const expected: Array<string> = []
          yield* closeUntil(ledger, expected, 100)
          yield* receiver.until((received) => received.length >= expected.length)

          yield* started(environment, "ingest")
          yield* first.signal("SIGSTOP")
          yield* closeUntil(ledger, expected, 300)
          // Another process takes over within 15 s, when the lease has expired.
          yield* waitUntil(
            Effect.sync(() => receiver.received.length >= expected.length),
            "15 seconds"
          )
          yield* first.signal("SIGCONT")
          for (let more = 1; more <= 5; more++) {
            yield* closeUntil(ledger, expected, 300 + more * 40)
            yield* receiver.until((received) => received.length >= expected.length)
          }
          assert.deepStrictEqual(
            receiver.received.map(({ event }) => event.event_id).sort(),
            [...expected].sort()
          )
          // The API's process ingests nothing, and knows the head all the same.
          const { ledger_index } = (yield* ledger.head).header
          const coverage = Effect.map(client.call("GET", "/v1/ledgers/coverage"), ({ body }) => {
            const { data } = body as unknown as { data: ReadonlyArray<Coverage> }
            return data[0]!
          })
          yield* waitUntil(
            Effect.map(coverage, ({ head }) => head?.ledger_index === ledger_index),
            "15 seconds"
          )
          const { catching_up, ranges } = yield* coverage
          assert.strictEqual(ranges.length, 1)
          assert.isNull(catching_up)
          // And it shows viewers what became of the newest ledger.
          const stream = yield* openStream({
            url: api.apiUrl,
            key: ADMIN_KEY,
            path: "/v1/activity/stream"
          })
          const ids = expected.filter((id) => ledgerOfEventId(id as EventId) === ledger_index)
          yield* waitUntil(
            Effect.sync(() => {
              const shown = stream
                .blocks()
                .flatMap(({ data, event }) => (event === "ledger" ? [JSON.parse(data!) as Shown] : []))
                .findLast((one) => one.ledger_index === ledger_index)
              return shown?.webhooks.some(({ answered }) => answered === ids.length) ?? false
            }),
            "15 seconds"
          )
        })
      ),
    120_000
  )

  it.live(
    "are restarted one after the other under load: nothing is lost or sent twice, the order is kept, no request fails",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { environment, ledger } = yield* surroundings(5)
          const [ordered, quick] = [yield* makeReceiver(), yield* makeReceiver()]
          const processes = yield* Effect.forEach([1, 2, 3], () => startReady(environment), {
            concurrency: "unbounded"
          })
          const client = apiClient(processes[0]!.url, ADMIN_KEY)
          yield* createWebhook(client, { url: ordered.url, event_types: ["*"], max_in_flight: 1 })
          yield* createWebhook(client, { url: quick.url, event_types: ["*"] })

          const expected: Array<string> = []
          const load = Effect.suspend(() => closeUntil(ledger, expected, expected.length + 1))
          yield* Effect.forkScoped(Effect.repeat(load, Schedule.spaced("250 millis")))

          /** The processes that answered the last check. Two failed checks are the service's notice of a stop. */
          let targets = processes.map(({ url }) => url)
          const check = Effect.gen(function* () {
            const ready = yield* Effect.forEach(processes, ({ isReady, url }) =>
              Effect.map(isReady, (is) => (is ? [url] : []))
            )
            targets = ready.flat()
          })
          yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced(CHECK_EVERY)))
          const answers: Array<number | string> = []
          let next = 0
          const request = Effect.gen(function* () {
            const url = targets[next++ % targets.length]!
            // A connection of its own for each request: none is kept that the process closes when it stops.
            const headers = { "X-Service-Key": ADMIN_KEY, Connection: "close" }
            answers.push(
              yield* Effect.promise(() =>
                fetch(`${url}/v1/account`, { headers }).then(
                  ({ status }) => status,
                  (error) => String(error.cause ?? error)
                )
              )
            )
          })
          yield* Effect.forkScoped(Effect.repeat(request, Schedule.spaced("50 millis")))

          for (let round = 0; round < ROUNDS; round++) {
            for (const [place, { program }] of processes.entries()) {
              const reason = yield* Effect.forkScoped(program.said(/^ledgerhook: /))
              yield* program.signal("SIGTERM")
              const code = yield* program.ended
              assert.strictEqual(code, 0, code === 0 ? "" : yield* Fiber.join(reason))
              processes[place] = yield* startReady(environment)
            }
          }
          const closed = expected.length
          yield* waitUntil(
            Effect.sync(() => ordered.received.length >= closed && quick.received.length >= closed),
            "60 seconds"
          )
          const failed = answers.filter((answer) => answer !== 200)
          assert.deepStrictEqual([...new Set(failed)], [], `${failed.length} of ${answers.length} failed`)
          const got = ordered.received.map(({ event }) => event.event_id)
          assert.deepStrictEqual(got, expected.slice(0, got.length))
          const other = quick.received.map(({ event }) => event.event_id)
          assert.strictEqual(new Set(other).size, other.length, "an event was sent twice")
          assert.isTrue(expected.slice(0, closed).every((id) => other.includes(id)))
        })
      ),
    300_000
  )
})
