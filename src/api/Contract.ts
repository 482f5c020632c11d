/**
 * The API as data: every endpoint with its parameters, bodies, answers and failures. The server's handlers, the OpenAPI
 * document and a client are made from it; it knows the domain and nothing else.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import packageJson from "../../package.json" with { type: "json" }
import { Account } from "./contract/Account.ts"
import { ApiKeys } from "./contract/ApiKeys.ts"
import { Deliveries } from "./contract/Deliveries.ts"
import { Events } from "./contract/Events.ts"
import { Ledgers } from "./contract/Ledgers.ts"
import { Replay } from "./contract/Replay.ts"
import { System } from "./contract/System.ts"
import { Webhooks } from "./contract/Webhooks.ts"
import { publishedDocument } from "./OpenApiDocument.ts"

const description = `Watches the XRP Ledger and delivers what happens there as signed webhooks.

Bodies are JSON in UTF-8; fields and query parameters that are not named here are refused. Every failure is exactly
\`{"error":{"code","message"}}\`, also at a path that does not exist (404, \`NOT_FOUND\`). A path takes OPTIONS, which
answers 204 with \`Allow\`, and HEAD where it takes GET. A trailing slash makes another path.

Checks come in this order: 401, 429, 404 for the path, 405, 403, 413, 415, 400, 404 for the resource, 403 for the plan, 409, 402.`

export class Api extends HttpApi.make("ledgerhook")
  .add(Webhooks)
  .add(Deliveries)
  .add(Replay)
  .add(Events)
  .add(Ledgers)
  .add(ApiKeys)
  .add(Account)
  .add(System)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Ledgerhook",
      version: packageJson.version,
      description,
      servers: [{ url: "/", description: "This service" }],
      license: { name: "Apache 2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      transform: publishedDocument
    })
  ) {}

/** The part of it that every process serves, whatever its roles. */
export class OperatorApi extends HttpApi.make("ledgerhook").add(System) {}

/** As it is served at /openapi.json. */
export const openApiDocument = (): object => OpenApi.fromApi(Api)
