/** `/healthz`: the process is alive. `/readyz`: the database and every part of the process work. */
import { Effect, Result, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { monotonicNow } from "../../domain/Monotonic.ts"
import { Health, type PartHealth } from "../../observability/Health.ts"
import { DatabaseTrouble } from "../../storage/DatabaseTrouble.ts"
import { Api } from "../Contract.ts"
import { NotFound } from "../Errors.ts"

export const systemLayer = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const health = yield* Health
    const sql = yield* SqlClient.SqlClient
    const { recent } = yield* DatabaseTrouble

    const ask: Effect.Effect<PartHealth> = sql`SELECT 1`.pipe(
      Effect.timeout(Limits.readyCheckMs),
      Effect.result,
      Effect.flatMap((answer) =>
        Effect.map(recent, (trouble): PartHealth => {
          if (Result.isFailure(answer))
            return {
              status: "failed",
              detail: ["the database does not answer", ...(trouble === undefined ? [] : [trouble])].join(": ")
            }
          return trouble === undefined
            ? { status: "ok", detail: "answers" }
            : { status: "degraded", detail: trouble }
        })
      )
    )
    /** Callers need no key, so only one query runs at a time, and its result is reused for `readyCheckEveryMs`. */
    let last: { readonly atMs: number; readonly health: PartHealth } | undefined
    const database = Semaphore.makeUnsafe(1).withPermits(1)(
      Effect.gen(function* () {
        const nowMs = yield* monotonicNow
        if (last !== undefined && nowMs - last.atMs < Limits.readyCheckEveryMs) return last.health
        const health = yield* ask
        last = { atMs: yield* monotonicNow, health }
        return health
      })
    )

    const probes = Effect.map(health.probes, (probes) => new Map([["database", database], ...probes]))
    /** The probes that are not wanted do not run: a log that does not answer would delay the others. */
    const readinessOf = (wanted: Iterable<readonly [string, Effect.Effect<PartHealth>]>) =>
      Effect.map(Effect.all(Object.fromEntries(wanted)), (parts) => {
        const ready = Object.values(parts).every(({ status }) => status === "ok" || status === "degraded")
        return ready ? ({ status: "ok", parts } as const) : ({ status: "unavailable", parts } as const)
      })

    return handlers.handleAll({
      healthz: () => Effect.succeed({ status: "ok" } as const),
      readyz: ({ query: { exclude = [] } }) =>
        Effect.flatMap(probes, (all) => readinessOf([...all].filter(([part]) => !exclude.includes(part)))),
      readyzPart: ({ params: { part } }) =>
        Effect.flatMap(probes, (all) => {
          const probe = all.get(part)
          return probe === undefined
            ? Effect.fail(
                NotFound.because(`This process has no part ${part}; /readyz shows the parts that it has.`)
              )
            : readinessOf([[part, probe]])
        })
    })
  })
)
