/** The part `connections` of `/readyz`: whether this machine has what connections to receivers need. */
import { Effect } from "effect"
import { Health, type PartHealth } from "../../observability/Health.ts"
import { Sender } from "./Sender.ts"

/** Registers the check in `Health`. */
export const watchSender = Effect.gen(function* () {
  const health = yield* Health
  const { shortage } = yield* Sender
  yield* health.watch(
    "connections",
    Effect.map(
      shortage,
      (lacks): PartHealth =>
        lacks === undefined
          ? { status: "ok", detail: "can be opened" }
          : { status: "degraded", detail: `deliveries wait: this machine ${lacks}` }
    )
  )
})
