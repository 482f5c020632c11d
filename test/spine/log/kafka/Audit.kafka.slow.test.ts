/**
 * The log on three brokers under a steady load, while brokers stop, die and freeze and partitions change their leader,
 * and while the processes that read it freeze and die: then the test checks every record (test/support/log/audit).
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { KafkaSettings } from "../../../../src/spine/config/Config.ts"
import { applyPlan, planOf } from "../../../../src/spine/log/kafka/ClusterTopics.ts"
import * as KafkaLog from "../../../../src/spine/log/kafka/KafkaLog.ts"
import { logLimits } from "../../../../src/spine/log/Limits.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { type Broker, missing, startCluster } from "../../../kafka/broker.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"
import { audit } from "../../../support/log/audit/Audit.ts"
import { makeBooks, topics } from "../../../support/log/audit/Books.ts"
import { operate } from "../../../support/log/audit/Cluster.ts"
import { startLoad } from "../../../support/log/audit/Load.ts"
import { startProcess } from "../../../support/program/serviceProcess.ts"
import { testSettings } from "../../../support/program/settings.ts"

const BROKERS = 3
const PIPE = join(import.meta.dirname, "../../../support/log/audit/pipeProgram.ts")
const TEST_MS = 900_000
const FROZEN_MS = logLimits.kafkaRequestMs + 1_000

const cluster = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-brokers-"))
    return { folder, brokers: await startCluster(folder, BROKERS) }
  }),
  ({ brokers, folder }) =>
    Effect.promise(async () => {
      await Promise.all(brokers.map(({ kill }) => kill()))
      rmSync(folder, { recursive: true, force: true })
    })
)

const openLog = (kafka: KafkaSettings) =>
  Effect.map(Layer.build(KafkaLog.layer(kafka)), (context) => Context.get(context, Log))

/** Waits until this much real time has passed; used while a process is frozen. */
const lasted = (ms: number) => {
  const since = performance.now()
  return waitUntil(
    Effect.sync(() => performance.now() - since >= ms),
    "60 seconds"
  )
}

describe.skipIf(missing() !== undefined)("the log on three brokers", () => {
  it.live(
    "keeps every record once and transactions whole while brokers and processes stop, die and freeze",
    () =>
      Effect.gen(function* () {
        const { brokers } = yield* cluster
        const kafka: KafkaSettings = {
          brokers: brokers.map((broker) => broker.brokers),
          ssl: false,
          sasl: undefined,
          clientId: "audit",
          topicPrefix: "audit.",
          schemaRegistryUrl: undefined
        }
        const plan = yield* planOf(kafka, testSettings())
        yield* applyPlan(
          kafka,
          plan.filter(({ topic }) => topics.some((name) => topic.name === kafka.topicPrefix + name))
        )
        const operator = yield* operate(kafka, brokers)
        const inSync = waitUntil(operator.inSync, "120 seconds")
        const pipe = startProcess(
          { KAFKA_BROKERS: kafka.brokers.join(), KAFKA_TOPIC_PREFIX: kafka.topicPrefix },
          /piping/,
          process.execPath,
          [PIPE]
        )
        const [frozenPipe, killedPipe] = [yield* pipe, yield* pipe]
        const books = makeBooks()
        const [one, other] = [yield* openLog(kafka), yield* openLog(kafka)]
        const load = yield* startLoad([one, other], books)
        yield* load.flows
        yield* inSync

        const under = <E, R>(fault: string, body: Effect.Effect<void, E, R>) =>
          Effect.gen(function* () {
            books.begin(fault)
            yield* body
            yield* load.flows
            const records = yield* load.whileHalted(audit(kafka, one, books))
            const { beganAt, ...phase } = books.phases.at(-1)!
            const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
            process.stdout.write(
              `${fault}, ${seconds(performance.now() - beganAt)}: ${phase.transactions} transactions of ${phase.records} records, ` +
                `${phase.failures} failed; longest stall of an append ${seconds(phase.appendMs)}, of a read ${seconds(phase.readMs)}, ` +
                `through a pipe ${seconds(phase.pipeMs)}; ${records} records audited\n`
            )
          })
        const killed = (broker: Broker) =>
          Effect.gen(function* () {
            yield* Effect.promise(broker.kill)
            yield* load.flows
            yield* Effect.promise(broker.start)
            yield* inSync
          })

        yield* under("no fault", load.flows)
        yield* under(
          "a process freezes and another dies",
          Effect.gen(function* () {
            yield* pipe
            yield* frozenPipe.signal("SIGSTOP")
            yield* killedPipe.kill
            yield* Effect.all([lasted(FROZEN_MS), load.flows], { concurrency: "unbounded" })
            yield* frozenPipe.signal("SIGCONT")
          })
        )
        yield* under(
          "brokers stop and start, one by one",
          Effect.forEach(
            brokers,
            Effect.fnUntraced(function* (broker) {
              yield* Effect.promise(broker.stop)
              yield* load.flows
              yield* Effect.promise(broker.start)
              yield* inSync
            }),
            { discard: true }
          )
        )
        yield* under("kill -9 of the broker that leads most", Effect.flatMap(operator.leadsMost, killed))
        yield* under(
          "kill -9 of the coordinator of transactions",
          Effect.flatMap(operator.coordinatorOf("chain"), killed)
        )
        yield* under(
          "leaders move",
          Effect.gen(function* () {
            for (let round = 1; round <= BROKERS; round++) {
              const moved = yield* operator.moveLeaders
              yield* waitUntil(moved, "60 seconds")
              yield* load.flows
            }
          })
        )
        yield* under(
          "a broker freezes",
          Effect.gen(function* () {
            // Clients send every request to this broker first.
            const broker = brokers[0]!
            yield* Effect.sync(broker.freeze)
            yield* Effect.all([lasted(FROZEN_MS), load.flows], { concurrency: "unbounded" })
            yield* Effect.sync(broker.thaw)
            yield* load.flows
            yield* inSync
          })
        )
        assert.isAbove(books.acknowledged.size, 0)
      }).pipe(Effect.scoped),
    TEST_MS
  )
})
