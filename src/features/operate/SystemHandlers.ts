/**
 * `/healthz`: the process is alive. `/readyz`: the database and every part of the process work. `/readyz/traffic`: load
 * balancers should send requests to the process (src/features/operate/model/Traffic.ts).
 */
import { Effect, Result, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { logPart } from "../../spine/log/LogHealth.ts"
import { Health, type PartHealth } from "../../spine/observe/Health.ts"
import { DatabaseTrouble } from "../../spine/store/DatabaseTrouble.ts"
import { monotonicNow } from "../../spine/words/Monotonic.ts"
import { nearest, sentenceOf } from "../../spine/words/Nearest.ts"
import { trafficObstacle } from "./model/Traffic.ts"
import { System } from "./SystemContract.ts"

/** `/readyz` queries the database at most this often, however many callers there are. */
export const READY_CHECK_EVERY_MS = 100

/** It is no part of the process, so `/readyz` does not list it. */
const TRAFFIC = "traffic"

export const systemLayer = HttpApiBuilder.group(
  contractOf(System),
  "system",
  Effect.fnUntraced(function* (handlers) {
    const health = yield* Health
    const { roles } = yield* Settings
    const sql = yield* SqlClient.SqlClient
    const { blocked, recent } = yield* DatabaseTrouble

    const ask: Effect.Effect<PartHealth> = sql`SELECT 1`.pipe(
      Effect.timeout(Limits.readyCheckMs),
      Effect.result,
      Effect.flatMap((answer) =>
        Effect.map(Effect.all([recent, blocked]), ([trouble, block]): PartHealth => {
          if (block !== undefined) return { status: "failed", detail: block }
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
    /** When the first query failed since the last that was answered. */
    let databaseFailedSince: number | undefined
    const database = Semaphore.makeUnsafe(1).withPermits(1)(
      Effect.gen(function* () {
        const nowMs = yield* monotonicNow
        if (last !== undefined && nowMs - last.atMs < READY_CHECK_EVERY_MS) return last.health
        const health = yield* ask
        last = { atMs: yield* monotonicNow, health }
        databaseFailedSince = health.status === "failed" ? (databaseFailedSince ?? nowMs) : undefined
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

    let sharedFailedAt: number | undefined
    const traffic: Effect.Effect<PartHealth> = Effect.gen(function* () {
      const failedSince = yield* health.failedSince
      const shared = yield* Effect.all([
        roles.includes("api") || failedSince.size > 0 ? database : Effect.undefined,
        failedSince.size > 0 ? health.get(logPart) : Effect.undefined
      ])
      const start = yield* health.get("start")
      const nowMs = yield* monotonicNow
      if (shared.some((part) => part?.status === "failed")) sharedFailedAt = nowMs
      const obstacle = trafficObstacle({
        nowMs,
        startOrStop: start === undefined || start.status === "ok" ? undefined : start.detail,
        roles,
        parts: [...(yield* health.probes).keys()],
        failedSince,
        databaseFailedSince,
        sharedFailedAt
      })
      return obstacle === undefined
        ? { status: "ok", detail: "takes requests" }
        : { status: "failed", detail: obstacle }
    })

    return handlers.handleAll({
      healthz: () => Effect.succeed({ status: "ok" } as const),
      readyz: ({ query: { exclude = [] } }) =>
        Effect.flatMap(probes, (all) => readinessOf([...all].filter(([part]) => !exclude.includes(part)))),
      readyzPart: ({ params: { part } }) =>
        Effect.flatMap(probes, (all) => {
          const probe = part === TRAFFIC ? traffic : all.get(part)
          if (probe !== undefined) return readinessOf([[part, probe]])
          const suggestion = nearest(part, [...all.keys(), TRAFFIC])
          const problem = "/readyz shows the parts that it has"
          return Effect.fail(
            NotFound.because(sentenceOf(`This process has no part ${part};`, { problem, suggestion }), {
              param: "part",
              suggestion
            })
          )
        })
    })
  })
)
