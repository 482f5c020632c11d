/** Runs the part of a command that makes requests to a service. The contract is loaded only then. */
import { Effect } from "effect"
import { Invocation } from "../terminal/Invocation.ts"
import type { ServiceApi } from "./Requests.ts"
import { type Target, targetOf } from "./Target.ts"

/** Failures of requests become one sentence each. */
export const withService = Effect.fnUntraced(function* <A, E, R>(
  use: (api: ServiceApi, target: Target) => Effect.Effect<A, E, R>,
  given?: Target
) {
  const target = given ?? (yield* targetOf((yield* Invocation).environment))
  const { connect, sentencesOf } = yield* Effect.promise(() => import("./Requests.ts"))
  return yield* use(yield* connect(target), target).pipe(sentencesOf(target))
})

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** The fields that are given. */
export const defined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  // The filter removes what the type leaves out.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
