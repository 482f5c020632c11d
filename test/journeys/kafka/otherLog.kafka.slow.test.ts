/** A start on another log than the database's is refused, touches nothing of that log, and `doctor` says the same. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { planOf } from "../../../src/spine/log/kafka/ClusterTopics.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { runProgram } from "../../support/program/program.ts"
import { startService } from "../../support/program/serviceProcess.ts"
import { testSettings } from "../../support/program/settings.ts"

const surroundings = Effect.gen(function* () {
  const cwd = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-other-log-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const kafka = yield* kafkaFor(() => false)
  const embedded = { DATA_DIR: join(cwd, "data"), PORT: "0", XRPL_MAINNET_URLS: "" }
  const onKafka = {
    ...embedded,
    KAFKA_BROKERS: kafka.brokers.join(","),
    KAFKA_TOPIC_PREFIX: kafka.topicPrefix
  }
  const lastStart = (environment: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const service = yield* startService(environment)
      yield* service.kill
    }).pipe(Effect.scoped)
  const refused = (environment: Readonly<Record<string, string>>, sentence: RegExp) => {
    const { code, stderr } = runProgram(["start"], { cwd, environment })
    assert.strictEqual(code, 1, stderr)
    const said = stderr.trim().split("\n").at(-1) ?? ""
    assert.match(said, sentence)
    const { checks } = JSON.parse(runProgram(["doctor", "--json"], { cwd, environment }).stdout)
    const found = checks.find(({ check }: { readonly check: string }) => check === "log")
    assert.strictEqual(found.status, "problem")
    assert.include(said, found.fix)
  }
  return { embedded, kafka, lastStart, onKafka, refused }
})

describe.skipIf(kafkaBrokers().length === 0)("a database of another log", () => {
  it.live("is not started on Kafka after the embedded log", () =>
    Effect.gen(function* () {
      const { embedded, kafka, lastStart, onKafka, refused } = yield* surroundings
      yield* lastStart(embedded)
      refused(onKafka, /^ledgerhook: KAFKA_BROKERS: .* is in the embedded log, .*; unset KAFKA_BROKERS, or /)
      const changes = yield* planOf(kafka, testSettings())
      assert.isTrue(changes.every(({ kind }) => kind === "create"))
      yield* lastStart(embedded)
    }).pipe(Effect.scoped)
  )

  it.live("is not started on the embedded log, or with another prefix, after Kafka", () =>
    Effect.gen(function* () {
      const { embedded, lastStart, onKafka, refused } = yield* surroundings
      yield* lastStart(onKafka)
      refused(
        embedded,
        /^ledgerhook: KAFKA_BROKERS: .* is in the Kafka cluster .*; set KAFKA_BROKERS to that /
      )
      refused({ ...onKafka, KAFKA_TOPIC_PREFIX: "other." }, /^ledgerhook: KAFKA_TOPIC_PREFIX: /)
      yield* lastStart(onKafka)
    }).pipe(Effect.scoped)
  )
})
