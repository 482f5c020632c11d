/**
 * The API as data: every endpoint with its parameters, bodies, responses and errors, put together from the groups of the
 * features. The OpenAPI document and the paths are derived from it.
 */
import { Context } from "effect"
import { type HttpApi, OpenApi } from "effect/http-api"
import packageJson from "../../package.json" with { type: "json" }
import { System } from "../features/operate/SystemContract.ts"
import { type ApiId, contractOf, emptyContract, Place, QueryTypes } from "../http/FeatureContract.ts"
import { license } from "../http/openapi/License.ts"
import { publishedDocument } from "../http/openapi/OpenApiDocument.ts"
import { type Service, services } from "./Services.ts"

const description = `Watches the XRP Ledger and delivers its events as signed webhooks. The page
[event types](/docs/event-types) says what each event means and which fields it has, and the [guides](/docs/guides)
explain how to receive, filter and replay events. The requests that the service sends to your endpoint are described as
webhooks, one for each event type.

Bodies are JSON in UTF-8. A request with an unknown field or query parameter is refused with 400. The body of every error
is \`{"error":{"code","message","doc_url"}}\`, also for an unknown path (404, \`NOT_FOUND\`); it may have \`param\`,
\`suggestion\` and \`errors\` too. Every path accepts OPTIONS
without a key, which answers 204 with the header \`Allow\`; a path that accepts GET also accepts HEAD. Paths have no
trailing slash: \`/v1/webhooks/\` answers 404.

A request is checked in this order, and the first failed check decides the response: 401, 429, 404 (unknown path), 405,
403 (scope), 413, 415, 400, 404 (unknown resource), 403 (plan), 409, 402.`

export type Group = Service["api"]["groups"][number]

const groups: ReadonlyArray<Group> = services
  .flatMap((service): ReadonlyArray<Group> => service.api.groups)
  .toSorted((a, b) => Context.get(a.annotations, Place) - Context.get(b.annotations, Place))

const queryTypes = Object.assign({}, ...groups.map(({ annotations }) => Context.get(annotations, QueryTypes)))

/** The type of `add` knows no list that may be empty. */
const all = groups as readonly [Group, ...Array<Group>]

export const Api: HttpApi.HttpApi<ApiId, Group> = emptyContract.add(...all).annotateMerge(
  OpenApi.annotations({
    title: "Ledgerhook",
    version: packageJson.version,
    description,
    servers: [{ url: "/", description: "This service" }],
    license,
    transform: publishedDocument(queryTypes)
  })
)

/** The endpoints that every process serves, whatever its roles. */
export const OperatorApi = contractOf(System)

/** The document served at /openapi.json. */
export const openApiDocument = (): object => OpenApi.fromApi(Api)
