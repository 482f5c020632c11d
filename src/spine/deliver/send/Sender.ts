/** The sender of requests (HttpSender.ts). It is loaded by the processes that deliver, because undici takes 5 MB. */
import { Context, Effect, Layer } from "effect"
import { Health, type PartHealth } from "../../observe/Health.ts"
import type { HttpSender, Send } from "./HttpSender.ts"

export type { Send }

export class Sender extends Context.Service<Sender, HttpSender>()("ledgerhook/deliver/Sender") {
  static readonly layer = Layer.effect(
    Sender,
    Effect.flatMap(
      Effect.promise(() => import("./HttpSender.ts")),
      ({ makeHttpSender }) => makeHttpSender
    )
  )
}

/** Registers the part `connections` of `/readyz`: whether this machine has what connections to receivers need. */
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
