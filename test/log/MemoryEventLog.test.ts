/** The memory log keeps what every log keeps. */
import { describe } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { EventLog } from "../../src/log/EventLog.ts"
import * as MemoryEventLog from "../../src/log/MemoryEventLog.ts"
import { suite } from "../conformance/eventLog.ts"
import { settingsLayer } from "../support/settings.ts"

const open = Effect.map(Layer.build(Layer.provide(MemoryEventLog.layer, settingsLayer())), (context) =>
  Context.get(context, EventLog)
)

describe("memory event log", () => suite(Effect.succeed({ dense: true, durable: false, open })))
