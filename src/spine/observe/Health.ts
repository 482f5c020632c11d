/**
 * The health of each part of this process. Parts report here, and `/readyz` reads it. A part can register a probe,
 * which runs at every read, so a part that has stopped reporting does not stay "ok".
 */
import { Context, Effect, Layer } from "effect"
import { Limits } from "../config/Limits.ts"
import type { Network } from "../event/Network.ts"
import { monotonicNow } from "../words/Monotonic.ts"
import { lastingTroubles, TroublesOfProcess, tasks } from "./Troubles.ts"

/** A role that failed works again once it has run for this long: several of its longest waits before a restart. */
export const STEADY_MS = 6 * Limits.roleRestartMs.longest

export type HealthStatus = "ok" | "starting" | "degraded" | "failed"

export interface PartHealth {
  readonly status: HealthStatus
  /** One sentence for an operator. `/readyz` shows it, so it must not contain secrets. */
  readonly detail: string
  /** Figures and names behind the sentence. */
  readonly facts?: Readonly<Record<string, string | number | null>>
}

/** The API's part in `Health`. Its fact `address` is the address it listens at. */
export const apiPart = "api"

/** Name of the part that ingests the network's ledgers. */
export const ledgerPart = (network: Network): string => `ledger.${network}`

interface Failure {
  readonly sinceMs: number
  /** What the part said when it failed last. */
  readonly detail: string
  /** Since when the part has not been `failed`. */
  readonly endedMs: number | undefined
}

const isOver = ({ endedMs }: Failure, nowMs: number): boolean =>
  endedMs !== undefined && nowMs - endedMs >= STEADY_MS

const noteStatus = (
  failures: Map<string, Failure>,
  part: string,
  { detail, status }: PartHealth,
  nowMs: number
) => {
  const before = failures.get(part)
  const lasting = before !== undefined && !isOver(before, nowMs) ? before : undefined
  if (status === "failed")
    failures.set(part, { sinceMs: lasting?.sinceMs ?? nowMs, detail, endedMs: undefined })
  else if (lasting !== undefined) failures.set(part, { ...lasting, endedMs: lasting.endedMs ?? nowMs })
  else failures.delete(part)
}

const RUNS: PartHealth = { status: "ok", detail: "running" }

/** A part that is not `ok` by itself says more. */
const withTrouble =
  (detail: string | undefined) =>
  (health: PartHealth): PartHealth =>
    detail === undefined || health.status !== "ok" ? health : { ...health, status: "degraded", detail }

export class Health extends Context.Service<
  Health,
  {
    /** Sets the part's health until it is set again. */
    readonly set: (part: string, health: PartHealth) => Effect.Effect<void>
    /** From now on the part's health is the result of `probe`, run at each read. */
    readonly watch: (part: string, probe: Effect.Effect<PartHealth>) => Effect.Effect<void>
    readonly get: (part: string) => Effect.Effect<PartHealth | undefined>
    /**
     * Since when parts have failed that were set to `failed`, by the monotonic clock. A part works again once it has
     * worked for `STEADY_MS`: a restart that fails again does not end a failure.
     */
    readonly failedSince: Effect.Effect<ReadonlyMap<string, number>>
    /** What a part said when it failed last; undefined if it has not failed. */
    readonly failureOf: (part: string) => Effect.Effect<string | undefined>
    /**
     * What reads the health of each part, by name, in the order in which the parts first reported, and then of each task
     * of upkeep.
     */
    readonly probes: Effect.Effect<ReadonlyMap<string, Effect.Effect<PartHealth>>>
    readonly all: Effect.Effect<Readonly<Record<string, PartHealth>>>
  }
>()("ledgerhook/observability/Health") {
  static readonly layer = Layer.effect(
    Health,
    Effect.map(TroublesOfProcess, (ofProcess) => {
      const parts = new Map<string, Effect.Effect<PartHealth>>()
      const failures = new Map<string, Failure>()
      const watch = (part: string, probe: Effect.Effect<PartHealth>) =>
        Effect.sync(() => {
          parts.set(part, probe)
        })
      const probes = Effect.gen(function* () {
        const troubles = yield* lastingTroubles
        const all = new Map(parts)
        for (const part of [...(yield* tasks), ...troubles.keys()]) {
          const probe = parts.get(part) ?? Effect.succeed(RUNS)
          all.set(part, Effect.map(probe, withTrouble(troubles.get(part))))
        }
        return all
      }).pipe(Effect.provideService(TroublesOfProcess, ofProcess))
      return Health.of({
        watch,
        set: (part, health) =>
          Effect.flatMap(monotonicNow, (nowMs) => {
            noteStatus(failures, part, health, nowMs)
            return watch(part, Effect.succeed(health))
          }),
        failedSince: Effect.map(monotonicNow, (nowMs) => {
          const lasting = [...failures].filter(([, failure]) => !isOver(failure, nowMs))
          return new Map(lasting.map(([part, { sinceMs }]) => [part, sinceMs]))
        }),
        failureOf: (part) => Effect.sync(() => failures.get(part)?.detail),
        get: (part) => Effect.suspend(() => parts.get(part) ?? Effect.succeed(undefined)),
        probes,
        all: Effect.flatMap(probes, (all) => Effect.all(Object.fromEntries(all)))
      })
    })
  ).pipe(Layer.provideMerge(TroublesOfProcess.layer))
}
