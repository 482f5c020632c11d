/**
 * What each part of this process says about itself: `/readyz` reads it, every part reports to it. A part is judged when
 * it is asked, not when it last spoke, so that one that has gone silent cannot stay "ok".
 */
import { Context, Effect, Layer } from "effect"
import type { Network } from "../domain/Network.ts"

export type HealthStatus = "ok" | "starting" | "degraded" | "failed"

export interface PartHealth {
  readonly status: HealthStatus
  /** One sentence for an operator; no secrets: `/readyz` shows it. */
  readonly detail: string
  /** Figures and names behind the sentence. */
  readonly facts?: Readonly<Record<string, string | number | null>>
}

/** The part that takes the network's ledgers. */
export const ledgerPart = (network: Network): string => `ledger.${network}`

export class Health extends Context.Service<
  Health,
  {
    /** The part's state until it is set again. */
    readonly set: (part: string, health: PartHealth) => Effect.Effect<void>
    /** The part's state is what `probe` says whenever somebody asks. */
    readonly watch: (part: string, probe: Effect.Effect<PartHealth>) => Effect.Effect<void>
    readonly get: (part: string) => Effect.Effect<PartHealth | undefined>
    /** By name, in the order in which the parts first reported. */
    readonly all: Effect.Effect<Readonly<Record<string, PartHealth>>>
  }
>()("ledgerhook/observability/Health") {
  static readonly layer = Layer.sync(Health, () => {
    const parts = new Map<string, Effect.Effect<PartHealth>>()
    const watch = (part: string, probe: Effect.Effect<PartHealth>) =>
      Effect.sync(() => {
        parts.set(part, probe)
      })
    return Health.of({
      watch,
      set: (part, health) => watch(part, Effect.succeed(health)),
      get: (part) => Effect.suspend(() => parts.get(part) ?? Effect.succeed(undefined)),
      all: Effect.suspend(() => Effect.all(Object.fromEntries(parts)))
    })
  })
}
