/** The timeout of group members is shortened if the cluster allows it; otherwise a warning is logged. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } from "@platformatic/kafka"
import { Effect } from "effect"
import type { KafkaSettings } from "../../../../src/spine/config/Config.ts"
import { ensureGroups, type MemberTimeout, memberTimeoutOf } from "../../../../src/spine/log/kafka/Groups.ts"
import { clientOptions } from "../../../../src/spine/log/kafka/Options.ts"
import { missing, startBroker } from "../../../kafka/broker.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"
import { kafkaBrokers, kafkaFor } from "../../../support/log/kafka.ts"

/** Sets a group's timeout, as an operator may have done. */
const setTimeoutOf = (kafka: KafkaSettings, group: string, ms: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Admin(clientOptions(kafka))),
    (admin) =>
      Effect.promise(() =>
        admin.incrementalAlterConfigs({
          resources: [
            {
              resourceType: ConfigResourceTypes.GROUP,
              resourceName: `${kafka.topicPrefix}ledgerhook.${group}`,
              configs: [
                {
                  name: "consumer.session.timeout.ms",
                  value: String(ms),
                  configOperation: IncrementalAlterConfigOperationTypes.SET
                }
              ]
            }
          ]
        })
      ),
    (admin) => Effect.promise(() => admin.close())
  )

/** Waits for the change, because a broker acknowledges a change before it shows it. */
const becomes = (kafka: KafkaSettings, wanted: MemberTimeout) =>
  waitUntil(
    Effect.map(memberTimeoutOf(kafka), (found) => isDeepStrictEqual(found, wanted)),
    "30 seconds"
  )

/** A broker with Kafka's default timeout. */
const stockBroker = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(tmpdir(), "ledgerhook-groups-"))
    return { folder, broker: await startBroker(folder, { memberTimeout: "stock" }) }
  }),
  ({ folder, broker }) =>
    Effect.promise(async () => {
      await broker.stop()
      rmSync(folder, { recursive: true, force: true })
    })
)

// These tests start another broker even if KAFKA_BROKERS is set.
describe.skipIf(missing() !== undefined || kafkaBrokers().length === 0)("the groups of a cluster", () => {
  it.live("get a short timeout at the start, and keep a shorter one", () =>
    Effect.gen(function* () {
      const kafka = yield* kafkaFor(() => false)
      yield* becomes(kafka, { kind: "short", ms: 10_000 })
      yield* setTimeoutOf(kafka, "delay", 7_000)
      yield* setTimeoutOf(kafka, "deliver", 30_000)
      yield* becomes(kafka, { kind: "settable", ms: 30_000 })
      yield* ensureGroups(kafka)
      yield* becomes(kafka, { kind: "short", ms: 10_000 })
      for (const group of ["deliver", "route", "events"]) yield* setTimeoutOf(kafka, group, 7_000)
      yield* becomes(kafka, { kind: "short", ms: 7_000 })
    })
  )

  it.live(
    "keep the long one of a broker as it comes, which is no failure, and the reason names the broker's setting",
    () =>
      Effect.gen(function* () {
        const { broker } = yield* stockBroker
        const kafka: KafkaSettings = { ...(yield* kafkaFor(() => false)), brokers: [broker.brokers] }
        yield* ensureGroups(kafka)
        const found = yield* memberTimeoutOf(kafka)
        if (found.kind !== "rejected") throw new Error(`the timeout is ${found.kind}`)
        assert.strictEqual(found.ms, 45_000)
        assert.match(found.reason, /group\.consumer\.min\.session\.timeout\.ms/)
      }).pipe(Effect.scoped),
    240_000
  )
})
