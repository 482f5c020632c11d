/** The result of one check of `doctor`. `finding` runs a check and ends it after `operateLimits.doctorCheckMs`. */

import { Data, Effect } from "effect"
import { errorText } from "../../../spine/observe/Logging.ts"
import { seconds } from "../../../spine/words/Words.ts"
import { operateLimits } from "../Limits.ts"

export interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "problem"
  readonly detail: string
  /** The steps that fix the problem; empty if nothing needs to be done. */
  readonly fix: string
}

/** A problem that a check found, with its own fix. */
export class Fault extends Data.TaggedError("Fault")<{ readonly detail: string; readonly fix: string }> {}

export const fine = (check: string, detail: string): Finding => ({ check, status: "ok", detail, fix: "" })

/** `run` returns the detail if all is well. `fix` is used for a timeout and for errors that are not a `Fault`. */
export const finding = <E, R>(
  check: string,
  fix: string,
  run: Effect.Effect<string, E, R>
): Effect.Effect<Finding, never, R> =>
  run.pipe(
    Effect.mapError((error) =>
      error instanceof Fault ? error : new Fault({ detail: errorText(error), fix })
    ),
    Effect.timeoutOrElse({
      duration: operateLimits.doctorCheckMs,
      orElse: () =>
        Effect.fail(new Fault({ detail: `no answer within ${seconds(operateLimits.doctorCheckMs)}`, fix }))
    }),
    Effect.match({
      onSuccess: (detail) => fine(check, detail),
      onFailure: (fault): Finding => ({
        check,
        status: "problem",
        detail: fault.detail,
        fix: fault.fix
      })
    })
  )
