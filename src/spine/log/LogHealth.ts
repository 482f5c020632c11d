/** The part `log` of `/readyz`: whether the log answers. It is checked at each request. */
import { Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { Health, type PartHealth } from "../observe/Health.ts"
import { seconds } from "../words/Words.ts"
import { Log } from "./Log.ts"
import { isThrottled } from "./Throttling.ts"

export const logPart = "log"

const failed = (detail: string): PartHealth => ({ status: "failed", detail })

const THROTTLED: PartHealth = {
  status: "degraded",
  detail: "answers, but the brokers throttle this user: raise its quota (kafka-configs --entity-type users)"
}

/** Registers the check in `Health`. */
export const watchLog = Effect.gen(function* () {
  const log = yield* Log
  const health = yield* Health
  yield* health.watch(
    logPart,
    log.reachable.pipe(
      Effect.match({
        onFailure: ({ message }) => failed(message),
        onSuccess: (): PartHealth => ({ status: "ok", detail: "answers" })
      }),
      Effect.flatMap((found) =>
        Effect.map(isThrottled, (is) => (is && found.status === "ok" ? THROTTLED : found))
      ),
      Effect.timeoutOrElse({
        duration: Limits.readyCheckMs,
        orElse: () => Effect.succeed(failed(`the log does not answer within ${seconds(Limits.readyCheckMs)}`))
      })
    )
  )
})
