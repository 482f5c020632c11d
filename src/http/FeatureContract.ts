/**
 * The contract of one feature: its groups under the id and with the rules of the whole API. Handlers and clients are
 * made of it. They are found by the id and the group's name, so the whole contract serves them too.
 */
import { Context } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

const apiId = "ledgerhook"
export type ApiId = typeof apiId

/** A request with an unknown field is refused. A handler takes these rules from the contract that it is made of. */
export const emptyContract = HttpApi.make(apiId)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error" })

export const contractOf = <
  const Groups extends readonly [HttpApiGroup.Constraint, ...Array<HttpApiGroup.Constraint>]
>(
  ...groups: Groups
) => emptyContract.add(...groups)

/** Annotation of a group: its place in the published document, lowest first. */
export const Place = Context.Reference<number>("ledgerhook/api/Place", { defaultValue: () => 1_000 })

/** Annotation of a group: the types of its query parameters by name, as the published document shows them. */
export const QueryTypes = Context.Reference<Readonly<Record<string, Readonly<Record<string, unknown>>>>>(
  "ledgerhook/api/QueryTypes",
  { defaultValue: () => ({}) }
)

/** The published document of the whole contract. */
export class PublishedDocument extends Context.Service<PublishedDocument, () => object>()(
  "ledgerhook/api/PublishedDocument"
) {}
