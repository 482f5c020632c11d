/** Runs the part of a command that makes requests to a service. The contract is loaded only then. */
import { Effect } from "effect"
import { Invocation } from "../Invocation.ts"
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
