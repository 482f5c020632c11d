/** The index of events: listed, followed, counted; the transactions that caused them. */
import { command, makeFeature } from "../Feature.ts"
import { events } from "./command/Events.ts"
import { tail } from "./command/Tail.ts"
import { StreamMetrics } from "./stream/Metrics.ts"

export const feature = makeFeature({
  name: "events",
  commands: [command(170, events), command(10, tail, "events")],
  metrics: Object.values(StreamMetrics),
  service: () => import("./service.ts")
})
