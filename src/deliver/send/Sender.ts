/** The sender of requests (HttpSender.ts). It is loaded by the processes that deliver, because undici takes 5 MB. */
import { Context, Effect, Layer } from "effect"
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
