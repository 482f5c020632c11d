/**
 * The API as data: every endpoint with its parameters, bodies, responses and errors. The handlers, the OpenAPI document
 * and the clients are derived from it. It imports only the domain.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import packageJson from "../../package.json" with { type: "json" }
import { Account } from "../features/accounts/AccountContract.ts"
import { ApiKeys } from "../features/accounts/ApiKeysContract.ts"
import { SessionGroup } from "../features/accounts/SessionContract.ts"
import { Deliveries } from "../features/deliveries/DeliveriesContract.ts"
import { license } from "../features/docs/License.ts"
import { publishedDocument } from "../features/docs/OpenApiDocument.ts"
import { Events } from "../features/events/EventsContract.ts"
import { EventTypes } from "../features/events/EventTypesContract.ts"
import { Transactions } from "../features/events/TransactionsContract.ts"
import { Incidents } from "../features/health/IncidentsContract.ts"
import { Notices } from "../features/health/NoticesContract.ts"
import { Activity } from "../features/ledgers/ActivityContract.ts"
import { Ledgers } from "../features/ledgers/LedgersContract.ts"
import { System } from "../features/operate/SystemContract.ts"
import { Explain } from "../features/progress/ExplainContract.ts"
import { ProgressGroup } from "../features/progress/ProgressContract.ts"
import { Replay } from "../features/replay/ReplayContract.ts"
import { AccountFiltersGroup } from "../features/webhooks/AccountFiltersContract.ts"
import { Webhooks } from "../features/webhooks/WebhooksContract.ts"

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

export class Api extends HttpApi.make("ledgerhook")
  .add(Webhooks)
  .add(AccountFiltersGroup)
  .add(Incidents)
  .add(ProgressGroup)
  .add(Deliveries)
  .add(Replay)
  .add(Events)
  .add(EventTypes)
  .add(Ledgers)
  .add(Transactions)
  .add(Activity)
  .add(Explain)
  .add(ApiKeys)
  .add(Account)
  .add(Notices)
  .add(SessionGroup)
  .add(System)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Ledgerhook",
      version: packageJson.version,
      description,
      servers: [{ url: "/", description: "This service" }],
      license,
      transform: publishedDocument
    })
  ) {}

/** The endpoints that every process serves, whatever its roles. */
export class OperatorApi extends HttpApi.make("ledgerhook").add(System) {}

/** The document served at /openapi.json. */
export const openApiDocument = (): object => OpenApi.fromApi(Api)
