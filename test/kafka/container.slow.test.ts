/** Kafka in a container of a real engine, as other tests use it if KAFKA_BROKERS is not set. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { planOf } from "../../src/spine/log/kafka/ClusterTopics.ts"
import { testSettings } from "../support/program/settings.ts"
import { hasEngine, startContainer } from "./container.ts"

describe.skipIf(!(await hasEngine()))(
  "Kafka in a container (wants Docker or another container engine)",
  () => {
    it("answers clients of this machine as soon as it is said to run", async () => {
      const { brokers, stop } = await startContainer()
      const cluster = { brokers: [brokers], ssl: false, sasl: undefined, clientId: "test", topicPrefix: "" }
      const changes = await Effect.runPromise(
        planOf({ ...cluster, schemaRegistryUrl: undefined }, testSettings())
      ).finally(stop)
      assert.isNotEmpty(changes)
    })
  }
)
