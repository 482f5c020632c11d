/**
 * What this process tries again and again without success. A loop that retries for ever would otherwise be seen in the
 * log only. Its trouble belongs to the part that runs it: a stage, or a task of upkeep. After `observeLimits.lastingMs` the
 * part is `degraded` (Health.ts), with the error.
 */
import { Context, Effect, Layer } from "effect"
import { monotonicClock } from "../words/Monotonic.ts"
import { duration } from "../words/Words.ts"
import { observeLimits } from "./Limits.ts"

export interface Trouble {
  readonly part: string
  /** On the monotonic clock. */
  readonly sinceMs: number
  /** What fails. */
  readonly what: string
  /** Why it failed last. */
  error: string
}

interface State {
  /** By an object for each run, or by a text for what is found once in each pass. */
  readonly troubles: Map<unknown, Trouble>
  /** Tasks that run now. */
  readonly tasks: Map<string, number>
}

const none = (): State => ({ troubles: new Map(), tasks: new Map() })

/** Whatever runs on `Health.layer` shares that layer's. The default is for commands and tests without it. */
export class TroublesOfProcess extends Context.Reference<State>("ledgerhook/observability/Troubles", {
  defaultValue: none
}) {
  static readonly layer = Layer.sync(TroublesOfProcess, none)
}

/** The part of the process to which the troubles of this fiber belong. */
class CurrentPart extends Context.Reference<string | undefined>("ledgerhook/observability/CurrentPart", {
  defaultValue: () => undefined
}) {}

export const inPart = (part: string) => Effect.provideService(CurrentPart, part)

const taskPart = (what: string): string => `upkeep.${what.toLowerCase().replaceAll(/[^a-z0-9.]+/g, "-")}`

/** Notes that `what` has failed. `key`: equal for the same trouble. */
export const noteTrouble = Effect.fnUntraced(function* (key: unknown, what: string, error: string) {
  const { troubles } = yield* TroublesOfProcess
  const known = troubles.get(key)
  if (known !== undefined) known.error = error
  else
    troubles.set(key, {
      part: (yield* CurrentPart) ?? taskPart(what),
      sinceMs: (yield* monotonicClock)(),
      what,
      error
    })
})

export const noTrouble = (key: unknown): Effect.Effect<void> =>
  Effect.map(TroublesOfProcess, ({ troubles }) => void troubles.delete(key))

/** Runs a task of upkeep as a part of its own. When it ends, so do its troubles. */
export const asTask =
  (what: string) =>
  <A, E, R>(task: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const part = taskPart(what)
    return Effect.flatMap(TroublesOfProcess, ({ tasks, troubles }) =>
      Effect.acquireUseRelease(
        Effect.sync(() => tasks.set(part, (tasks.get(part) ?? 0) + 1)),
        () => inPart(part)(task),
        () =>
          Effect.sync(() => {
            const left = tasks.get(part)! - 1
            if (left > 0) return void tasks.set(part, left)
            tasks.delete(part)
            for (const [key, trouble] of troubles) if (trouble.part === part) troubles.delete(key)
          })
      )
    )
  }

/** The parts of upkeep that run now. */
export const tasks: Effect.Effect<ReadonlyArray<string>> = Effect.map(TroublesOfProcess, (state) => [
  ...state.tasks.keys()
])

/** For each part that has had a trouble for `lastingMs`, a sentence about the oldest one, without its full stop. */
export const lastingTroubles: Effect.Effect<ReadonlyMap<string, string>> = Effect.gen(function* () {
  const { troubles } = yield* TroublesOfProcess
  const nowMs = (yield* monotonicClock)()
  const oldest = [...troubles.values()].toSorted((a, b) => b.sinceMs - a.sinceMs)
  return new Map(
    oldest
      .filter(({ sinceMs }) => nowMs - sinceMs >= observeLimits.lastingMs)
      .map(({ error, part, sinceMs, what }) => [
        part,
        `${what} has failed for ${duration(nowMs - sinceMs)}: ${error}`
      ])
  )
})
