/** `/healthz`: the process lives. `/readyz`: every part of it, and the database, is fit to serve. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { Health, type PartHealth } from "../../observability/Health.ts"
import { Api } from "../Contract.ts"

export const systemLayer = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const health = yield* Health
    const sql = yield* SqlClient.SqlClient

    const database: Effect.Effect<PartHealth> = sql`SELECT 1`.pipe(
      Effect.timeout(Limits.readyCheckMs),
      Effect.match({
        onFailure: () => ({ status: "failed", detail: "the database does not answer" }),
        onSuccess: () => ({ status: "ok", detail: "answers" })
      })
    )

    return handlers.handleAll({
      healthz: () => Effect.succeed({ status: "ok" } as const),
      readyz: () =>
        Effect.gen(function* () {
          const parts = { database: yield* database, ...(yield* health.all) }
          const ready = Object.values(parts).every(({ status }) => status === "ok" || status === "degraded")
          return ready ? ({ status: "ok", parts } as const) : ({ status: "unavailable", parts } as const)
        })
    })
  })
)
