/**
 * `ledgerhook topics` on a real cluster: it shows differences, makes changes that lose no data, and others only on
 * demand.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { KafkaSettings } from "../../../src/spine/config/Config.ts"
import { networks } from "../../../src/spine/event/Network.ts"
import { applyPlan } from "../../../src/spine/log/kafka/ClusterTopics.ts"
import type { TopicState } from "../../../src/spine/log/kafka/TopicPlan.ts"
import { usedTopics } from "../../../src/spine/log/Topics.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { runProgram } from "../../support/program/program.ts"

const DAY_MS = 86_400_000
const TEST_MS = 120_000

const created = (kafka: KafkaSettings, topic: Partial<TopicState> & Pick<TopicState, "name">) =>
  applyPlan(kafka, [
    {
      kind: "create",
      topic: { partitions: 1, replication: 1, settings: {}, ...topic, name: kafka.topicPrefix + topic.name },
      to: "",
      risk: "none"
    }
  ])

const operator = (kafka: KafkaSettings) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-topics-"))),
      (cwd) => Effect.sync(() => rmSync(cwd, { recursive: true, force: true }))
    ),
    (cwd) =>
      (...args: ReadonlyArray<string>) =>
        runProgram(["topics", ...args], {
          cwd,
          environment: { KAFKA_BROKERS: kafka.brokers.join(","), KAFKA_TOPIC_PREFIX: kafka.topicPrefix }
        })
  )

describe.skipIf(kafkaBrokers().length === 0)("ledgerhook topics", () => {
  it.live(
    "shows differences, makes changes that lose nothing, and others with --force",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const kafka = yield* kafkaFor(() => false)
          const { topicPrefix: prefix } = kafka
          const run = yield* operator(kafka)
          const different = (): ReadonlyArray<Readonly<Record<string, unknown>>> => {
            const { code, stdout, stderr } = run("diff")
            assert.strictEqual(code, 0, stderr)
            return JSON.parse(stdout)
          }
          yield* created(kafka, {
            name: "webhooks.delay.2",
            partitions: 12,
            settings: { "retention.ms": "1000" }
          })
          yield* created(kafka, {
            name: "webhooks.deliveries",
            partitions: 24,
            settings: { "cleanup.policy": "compact", "retention.ms": String(7 * DAY_MS) }
          })
          yield* created(kafka, {
            name: "webhooks.config",
            partitions: 1,
            settings: { "cleanup.policy": "compact" }
          })
          yield* created(kafka, { name: "xrpl.testnet.events", settings: { "retention.ms": "-1" } })

          const all = different()
          const existing = all.filter(({ change }) => change !== "create")
          const missing = usedTopics(networks, { rawTransactions: false }).length - 4
          assert.strictEqual(all.length - existing.length, missing)
          const losing = [
            {
              topic: `${prefix}xrpl.testnet.events`,
              change: "setting",
              setting: "retention.ms",
              is: "-1",
              should_be: String(400 * DAY_MS),
              risk: "losing"
            },
            {
              topic: `${prefix}webhooks.deliveries`,
              change: "setting",
              setting: "cleanup.policy",
              is: "compact",
              should_be: "delete",
              risk: "losing"
            }
          ]
          const impossible = {
            topic: `${prefix}webhooks.delay.2`,
            change: "partitions",
            setting: null,
            is: "12",
            should_be: "6",
            risk: "impossible"
          }
          const longer = {
            topic: `${prefix}webhooks.delay.2`,
            change: "setting",
            setting: "retention.ms",
            is: "1000",
            should_be: String(8 * DAY_MS),
            risk: "none"
          }
          assert.deepStrictEqual(existing, [...losing, impossible, longer])

          const applied = run("apply")
          assert.strictEqual(applied.code, 1)
          assert.strictEqual(applied.stdout.trim().split("\n").length, missing + 1)
          assert.include(
            applied.stdout,
            `Done: topic ${prefix}xrpl.devnet.ledgers is created with 1 partition.\n`
          )
          assert.deepStrictEqual(applied.stderr.trim().split("\n"), [
            `ledgerhook: topic ${prefix}xrpl.testnet.events: retention.ms -1 → ${400 * DAY_MS}: older records would be deleted; to do it anyway, use --force.`,
            `ledgerhook: topic ${prefix}webhooks.deliveries: cleanup.policy compact → delete: older records would be deleted; to do it anyway, use --force.`,
            `ledgerhook: topic ${prefix}webhooks.delay.2: partitions 12 → 6: Kafka cannot remove partitions.`
          ])
          assert.deepStrictEqual(different(), [...losing, impossible])

          const forced = run("apply", "--force")
          assert.strictEqual(forced.code, 1)
          assert.strictEqual(forced.stderr.trim().split("\n").length, 1)
          assert.deepStrictEqual(different(), [impossible])
        })
      ),
    TEST_MS
  )

  it.live(
    "adds partitions on demand only, and reports that nothing is left to do",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const kafka = yield* kafkaFor((topic) => topic !== "webhooks.deliveries")
          const run = yield* operator(kafka)
          yield* created(kafka, {
            name: "webhooks.deliveries",
            partitions: 2,
            settings: { "retention.ms": String(7 * DAY_MS) }
          })
          const refused = run("apply")
          assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
          assert.match(
            refused.stderr,
            /webhooks\.deliveries: partitions 2 → 24: keys would move .+; to do it anyway, use --force/
          )
          assert.strictEqual(run("apply", "--force").code, 0)
          assert.strictEqual(run("diff").stdout, "[]\n")
          assert.strictEqual(run("apply").stdout, "The topics match topics/topics.json.\n")
        })
      ),
    TEST_MS
  )

  it.live("fails if the cluster is unavailable", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const kafka = yield* kafkaFor(() => false)
        const away = (yield* operator({ ...kafka, brokers: ["127.0.0.1:1"] }))("diff")
        assert.deepStrictEqual([away.code, away.stdout], [1, ""])
        assert.match(away.stderr, /^ledgerhook: KAFKA_BROKERS: [^\n]+\.\n$/)
      })
    )
  )
})
