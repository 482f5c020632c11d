/** A short run of `npm run faults` on Kafka, with three processes, so that the command and what it proves do not rot. */
import { describe, it } from "@effect/vitest"
import { missing } from "../../kafka/broker.ts"
import { strikes } from "../../support/journeys/faultRun.ts"

// The run starts its own broker even if KAFKA_BROKERS names another.
describe.skipIf(missing() !== undefined)("three processes on Kafka", () => {
  it.live(
    "lose nothing by kills, cut connections and a killed broker, keep the order, and repeat no more than they may",
    () => strikes({ store: "kafka", faults: ["kill", "cut", "broker-kill"], rounds: 1 }),
    400_000
  )
})
