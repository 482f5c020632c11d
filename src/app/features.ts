/** Every feature. A feature may import those before it. Whoever deletes its folder and its line has removed it. */
import { feature as accounts } from "../features/accounts/feature.ts"
import { feature as capacity } from "../features/capacity/feature.ts"
import { feature as copies } from "../features/copies/feature.ts"
import { feature as dashboard } from "../features/dashboard/feature.ts"
import { feature as deliveries } from "../features/deliveries/feature.ts"
import { feature as demo } from "../features/demo/feature.ts"
import { feature as docs } from "../features/docs/feature.ts"
import { feature as events } from "../features/events/feature.ts"
import { feature as exporting } from "../features/export/feature.ts"
import { feature as health } from "../features/health/feature.ts"
import { feature as ledgers } from "../features/ledgers/feature.ts"
import { feature as ledgerTools } from "../features/ledgerTools/feature.ts"
import { feature as listen } from "../features/listen/feature.ts"
import { feature as operate } from "../features/operate/feature.ts"
import { feature as progress } from "../features/progress/feature.ts"
import { feature as replay } from "../features/replay/feature.ts"
import { feature as simulator } from "../features/simulator/feature.ts"
import { feature as statistics } from "../features/statistics/feature.ts"
import { feature as testEvents } from "../features/testEvents/feature.ts"
import { feature as webhooks } from "../features/webhooks/feature.ts"

export const features = [
  accounts,
  statistics,
  webhooks,
  health,
  events,
  deliveries,
  simulator,
  testEvents,
  demo,
  listen,
  ledgerTools,
  capacity,
  copies,
  replay,
  operate,
  ledgers,
  exporting,
  dashboard,
  docs,
  progress
]
