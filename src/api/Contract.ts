/**
 * The API as data: every endpoint with its parameters, bodies, answers and failures. The server's handlers, the OpenAPI
 * document and a client are made from it; it knows the domain and nothing else.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { pageDefaults } from "./contract/Common.ts"
import { Deliveries } from "./contract/Deliveries.ts"
import { System } from "./contract/System.ts"
import { Webhooks } from "./contract/Webhooks.ts"

const LIMIT_SCHEMA = {
  type: "integer",
  minimum: 1,
  maximum: pageDefaults.maximum,
  default: pageDefaults.limit
}

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string }>
}

/** A number in a query is text to the decoder; readers of the document should see the number. */
const describeNumbers = (document: Record<string, unknown>): Record<string, unknown> => {
  const paths = document["paths"] as Record<string, Record<string, Operation>>
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === "query" && parameter.name === "limit") {
        Object.assign(parameter, { schema: LIMIT_SCHEMA })
      }
    }
  }
  return document
}

export class Api extends HttpApi.make("ledgerhook")
  .add(Webhooks)
  .add(Deliveries)
  .add(System)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Ledgerhook",
      version: "1.0.0",
      description:
        "Watches the XRP Ledger and delivers what happens there as signed webhooks. Every answer carries X-Request-Id.",
      license: { name: "Apache-2.0" },
      transform: describeNumbers
    })
  ) {}
