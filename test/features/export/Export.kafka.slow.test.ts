/** `events export` reads a Kafka log: committed events only, with and without a schema registry's prefix. */
import { globSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { openFolder } from "../../../src/features/export/FolderTarget.ts"
import { runExport } from "../../../src/features/export/RunExport.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import * as KafkaLog from "../../../src/spine/log/kafka/KafkaLog.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { EVENTS_EACH, writeLedgers } from "../../support/log/kafkaLedgers.ts"
import { makeFolder } from "../../support/program/makeFolder.ts"
import { linesOf, quiet } from "./exporting.ts"

describe.skipIf(kafkaBrokers().length === 0)("events export", () => {
  it.live("exports each committed event of the topics once, in order", () =>
    Effect.gen(function* () {
      const kafka = yield* kafkaFor((topic) => topic.startsWith("xrpl.testnet."))
      yield* writeLedgers(kafka, [100, 101])
      yield* writeLedgers(kafka, [102, 103], new Map([["xrpl.testnet.events", 7]]))
      const folder = yield* makeFolder
      const result = yield* Effect.gen(function* () {
        return yield* runExport({
          network: "testnet",
          from: { _tag: "Ledger", index: 100 },
          to: { _tag: "Ledger", index: 103 },
          history: [],
          types: eventTypes,
          format: "ndjson",
          per: "day",
          target: yield* openFolder(folder, "testnet")
        })
      }).pipe(
        Effect.provide(KafkaLog.readerLayer(kafka)),
        Effect.provide(Layer.merge(quiet, NodeServices.layer))
      )
      assert.include(result, { ok: true, events: 4 * EVENTS_EACH })
      const places = globSync(join(folder, "**/*.gz"))
        .flatMap(linesOf)
        .map((line) => JSON.parse(line))
        .map(({ ledger_index, position }) => [ledger_index, position])
      assert.deepStrictEqual(
        places,
        [100, 101, 102, 103].flatMap((ledger) => [0, 1, 2].map((position) => [ledger, position]))
      )
    }).pipe(Effect.scoped)
  )
})
