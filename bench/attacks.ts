/** Measures attacks that once harmed the service. Each part shows the remaining harm. */
import { Effect } from "effect"
import { informationalFlood } from "./attacks/informationalFlood.ts"
import { keylessBodies } from "./attacks/keylessBodies.ts"
import { keylessFlood } from "./attacks/keylessFlood.ts"
import { oneAccount } from "./attacks/oneAccount.ts"
import { sharedPlaces } from "./attacks/sharedPlaces.ts"
import { webhookFilters } from "./attacks/webhookFilters.ts"
import type { Benchmark } from "./support/Benchmark.ts"

const parts: ReadonlyArray<Benchmark> = [
  keylessFlood,
  keylessBodies,
  oneAccount,
  sharedPlaces,
  webhookFilters,
  informationalFlood
]

const benchmark: Benchmark = {
  description: parts.map(({ description }) => description).join("; "),
  target: parts.map(({ target }) => target).join("; "),
  run: (report, program) =>
    Effect.forEach(parts, (part) => Effect.scoped(part.run(report, program)), { discard: true })
}

export default benchmark
