/**
 * Looks up the keys of requests together. One SQL statement runs at a time; requests that arrive meanwhile share the
 * next one. A single request costs one round trip to the database, and under load a fraction of one. A request waits
 * for at most two statements of `ANSWER_MS` each. If the queue is full, the request is answered 503 at once.
 */

import { Clock, Context, Deferred, Effect, Exit, Layer, Option, Queue } from "effect"
import type { Credential, Identity } from "../../spine/domain/ApiKey.ts"
import { type Unavailable, unavailable } from "../Errors.ts"
import { httpLimits } from "../Limits.ts"
import { orUnavailable } from "../StoreFailures.ts"
import { KeyAdmission } from "./KeyAdmission.ts"
import { type RateStanding, rateStandingOf } from "./RateLimits.ts"

/** If the database does not answer that statement within this time, it counts as unavailable. */
export const ANSWER_MS = 5_000

export interface Admitted {
  readonly identity: Identity
  readonly suspended: boolean
  readonly rate: RateStanding
}

type Answer = Option.Option<Admitted>

interface AdmissionRequest {
  readonly credential: Credential
  readonly answer: Deferred.Deferred<Answer, Unavailable>
}

export class AdmissionQueue extends Context.Service<AdmissionQueue>()("ledgerhook/api/AdmissionQueue", {
  make: Effect.gen(function* () {
    const keys = yield* KeyAdmission
    const queue = yield* Queue.dropping<AdmissionRequest>(httpLimits.admissionQueue)

    const ask = (requests: ReadonlyMap<Credential, number>) =>
      Clock.currentTimeMillis.pipe(
        Effect.flatMap((nowMs) => keys.admit(requests, nowMs)),
        Effect.timeoutOrElse({
          duration: ANSWER_MS,
          orElse: () =>
            Effect.andThen(
              Effect.logWarning(
                "the database did not answer in time; requests with an API key are refused with 503"
              ),
              Effect.fail(unavailable())
            )
        }),
        orUnavailable
      )

    const answer = Effect.fnUntraced(function* (taken: ReadonlyArray<AdmissionRequest>) {
      const groups = Map.groupBy(taken, ({ credential }) => credential)
      const requests = new Map(Array.from(groups, ([credential, { length }]) => [credential, length]))
      const asked = yield* Effect.exit(ask(requests))
      for (const [credential, waiting] of groups) {
        waiting.forEach((one, index) => {
          const answer = Exit.map(asked, (admissions) =>
            Option.map(Option.fromUndefinedOr(admissions.get(credential)), (admission) => ({
              identity: admission.identity,
              suspended: admission.suspended,
              rate: rateStandingOf(admission, index)
            }))
          )
          Deferred.doneUnsafe(one.answer, answer)
        })
      }
    })

    yield* Queue.takeAll(queue).pipe(Effect.flatMap(answer), Effect.forever, Effect.forkScoped)

    return {
      /** None: no valid key, and no session of one, is that credential. */
      admit: (credential: Credential) =>
        Effect.suspend(() => {
          const answer = Deferred.makeUnsafe<Answer, Unavailable>()
          return Queue.offerUnsafe(queue, { credential, answer })
            ? Deferred.await(answer)
            : Effect.fail(unavailable())
        })
    }
  })
}) {
  static readonly layer = Layer.effect(AdmissionQueue, AdmissionQueue.make)
}
