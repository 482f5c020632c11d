/** What attackers can do to the service, one part after the other; each part reports its own figures. */
import { Effect } from "effect"
import { keylessFlood } from "./attacks/keylessFlood.ts"
import type { Benchmark } from "./support/Benchmark.ts"

const parts = [keylessFlood]

const benchmark: Benchmark = {
  description: "deliveries, /healthz and memory before, during and after attacks",
  target:
    "deliveries go on beside a flood without a key: 0.9 of their rate when it reads nothing, 0.5 when it does",
  run: (report) => Effect.forEach(parts, (part) => part(report), { discard: true })
}

export default benchmark
