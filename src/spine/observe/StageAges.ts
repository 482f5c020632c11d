/**
 * How long the oldest item of a stage has waited for this process itself. Where it stands in the log does not say that:
 * a stage may keep what it has taken. Each part of a stage adds its own age, and the oldest counts.
 */
import { Context, Effect } from "effect"

/** `backlog`: for how long this process has sent less to a webhook with a backlog than the webhook takes. */
export type AgedStage = "deliver" | "backlog" | "delay" | "outbox" | "upkeep"

interface Age {
  readonly stage: AgedStage
  /** Returns at once. */
  readonly ageMs: () => number
}

export class StageAges extends Context.Reference<Set<Age>>("ledgerhook/observability/StageAges", {
  defaultValue: () => new Set()
}) {}

/** Adds the age of a part of the stage, for as long as the scope lives. */
export const showAge = (stage: AgedStage, ageMs: () => number) =>
  Effect.flatMap(StageAges, (all) => {
    const age = { stage, ageMs }
    return Effect.acquireRelease(
      Effect.sync(() => all.add(age)),
      () => Effect.sync(() => all.delete(age))
    )
  })

/** The oldest age of each stage that this process has, in milliseconds. */
export const stageAges: Effect.Effect<Readonly<Partial<Record<AgedStage, number>>>> = Effect.map(
  StageAges,
  (all) => {
    const oldest: Partial<Record<AgedStage, number>> = {}
    for (const { stage, ageMs } of all) oldest[stage] = Math.max(oldest[stage] ?? 0, ageMs())
    return oldest
  }
)
