/** For operators: how the service is, what is wrong with its settings and connections. */
import { command, makeFeature } from "../Feature.ts"
import { doctor } from "./doctor/Doctor.ts"
import { ReportMetrics } from "./Metrics.ts"
import { withoutRoles } from "./Settings.ts"
import { status } from "./StatusCommand.ts"
import { topics } from "./TopicsCommand.ts"

export const feature = makeFeature({
  name: "operate",
  commands: [command(210, topics), command(250, status), command(260, doctor)],
  settings: [withoutRoles],
  metrics: Object.values(ReportMetrics),
  service: () => import("./service.ts")
})
