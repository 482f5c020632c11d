/** Runs the stages of a process: one that fails reports `failed` in `Health` and is started again. */
import { Cause, Effect, Layer, Schedule } from "effect"
import { Limits } from "../config/Limits.ts"
import { Health } from "../observe/Health.ts"
import { errorText } from "../observe/Logging.ts"
import { inPart } from "../observe/Troubles.ts"
import { printable } from "../words/Printable.ts"
import { Leases } from "./Leases.ts"

/** After a growing wait, for ever. */
export const restartSchedule = Schedule.min([
  Schedule.exponential(Limits.roleRestartMs.first),
  Schedule.spaced(Limits.roleRestartMs.longest)
])

/** Runs a stage for the life of the process. If it fails, restarts it after a growing wait. */
export const supervised = <E, R>(part: string, stage: Effect.Effect<unknown, E, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const health = yield* Health
      yield* health.set(part, { status: "starting", detail: "is being started" })
      yield* Effect.forkScoped(
        health.set(part, { status: "ok", detail: "running" }).pipe(
          Effect.andThen(stage),
          Effect.sandbox,
          Effect.tapError((cause) =>
            Effect.andThen(
              Effect.logError(`${part} failed and is restarted`, cause),
              health.set(part, {
                status: "failed",
                detail: `failed, and is restarted: ${printable(errorText(Cause.squash(cause)), Limits.errorLength)}`
              })
            )
          ),
          Effect.retry(restartSchedule),
          inPart(part)
        )
      )
    })
  )

/** The same for a job that one process does at a time: the process that gets the lease runs it. */
export const supervisedWithLease = <E, R>(part: string, job: Effect.Effect<unknown, E, R>) =>
  supervised(
    part,
    Effect.gen(function* () {
      const health = yield* Health
      const leases = yield* Leases
      yield* health.set(part, {
        status: "ok",
        detail: "standby: waits for the lease, which another process holds"
      })
      return yield* leases.hold(part)(
        Effect.andThen(health.set(part, { status: "ok", detail: "running" }), job)
      )
    })
  )
