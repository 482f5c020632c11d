/** Runs the part of a command that makes requests to a service. Contracts are loaded only then. */
import { Effect } from "effect"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { ApiId } from "../../http/FeatureContract.ts"
import { Invocation } from "../Invocation.ts"
import type { ServiceApi } from "./Requests.ts"
import { type Target, targetOf } from "./ServiceTarget.ts"

/** Failures of requests become one sentence each. `contract` loads the groups that `use` calls. */
export const withService = Effect.fnUntraced(function* <Groups extends HttpApiGroup.Constraint, A, E, R>(
  contract: () => Promise<HttpApi.HttpApi<ApiId, Groups>>,
  use: (api: ServiceApi<Groups>, target: Target) => Effect.Effect<A, E, R>,
  given?: Target
) {
  const target = given ?? (yield* targetOf((yield* Invocation).environment))
  const [{ connect, sentencesOf }, groups] = yield* Effect.promise(() =>
    Promise.all([import("./Requests.ts"), contract()])
  )
  return yield* use(yield* connect(groups, target), target).pipe(sentencesOf(target))
})

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string | null
}

/** The most items that the API returns in a page. */
const PAGE_ITEMS = 100

/** Items of a list of the API, page by page. All are read before any is printed, so a failure leaves no half array. */
export const itemsOf = Effect.fnUntraced(function* <A, E, R>(
  read: (page: { readonly limit: string; readonly cursor?: string }) => Effect.Effect<Page<A>, E, R>,
  most = Number.POSITIVE_INFINITY
) {
  const items: Array<A> = []
  let cursor: string | null = null
  do {
    const limit = String(Math.min(most - items.length, PAGE_ITEMS))
    const page: Page<A> = yield* read(cursor === null ? { limit } : { limit, cursor })
    items.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && items.length < most)
  return items
})

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** The fields that are given. */
export const defined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  // The filter removes what the type leaves out.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
