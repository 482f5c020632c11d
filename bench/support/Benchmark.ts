/**
 * The interface of a benchmark: `bench/<name>.ts` exports by default what it measures, its target, and how it runs. It
 * reports figures one at a time. A ratio compares with a ceiling that the same run has measured.
 */
import type { Effect, Scope } from "effect"

export interface Figure {
  /** `<benchmark>` or `<benchmark>.<part>`. */
  readonly name: string
  readonly value: number
  /** The unit of `value`. */
  readonly unit: string
  /** The ratio of `value` to the ceiling measured in the same run; null if there is no ceiling. */
  readonly ratio: number | null
  /** The target for `ratio`; null if the figure is only reported. */
  readonly target: number | null
  /** Which way `ratio`, or without one `value`, is good. */
  readonly better: "higher" | "lower"
}

export interface Benchmark {
  /** One line. */
  readonly description: string
  /** The target in words. */
  readonly target: string
  /** True: it measures the whole program from outside, so it can measure another commit's (wholeProgram.ts). */
  readonly wholeProgram?: true
  /** `program` is the path of the command to measure, for a benchmark of the whole program. */
  readonly run: (
    report: (figure: Figure) => void,
    program: string
  ) => Effect.Effect<void, unknown, Scope.Scope>
}

/** Undefined: nothing was promised. */
export const met = ({ ratio, target, better }: Figure): boolean | undefined =>
  ratio === null || target === null ? undefined : better === "higher" ? ratio >= target : ratio <= target
