/**
 * The API as data: every endpoint with its parameters, bodies, answers and failures. The server's handlers, the OpenAPI
 * document and a client are made from it; it knows the domain and nothing else.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { Account } from "./contract/Account.ts"
import { ApiKeys } from "./contract/ApiKeys.ts"
import { ledgerIndexBounds, pageDefaults } from "./contract/Common.ts"
import { Deliveries } from "./contract/Deliveries.ts"
import { Events } from "./contract/Events.ts"
import { Ledgers } from "./contract/Ledgers.ts"
import { System } from "./contract/System.ts"
import { Webhooks } from "./contract/Webhooks.ts"

/** Query parameters that are numbers or booleans, by name. */
const typedParameters: Readonly<Record<string, object>> = {
  limit: { type: "integer", minimum: 1, maximum: pageDefaults.maximum, default: pageDefaults.limit },
  ledger_index_min: { type: "integer", ...ledgerIndexBounds },
  ledger_index_max: { type: "integer", ...ledgerIndexBounds },
  series: { type: "boolean", default: false }
}

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string }>
}

/** In a query all is text to the decoder; readers of the document should see the number or boolean. */
const describeTypes = (paths: Record<string, Record<string, Operation>>): void => {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const parameter of operation.parameters ?? []) {
      const schema = typedParameters[parameter.name]
      if (parameter.in === "query" && schema !== undefined) Object.assign(parameter, { schema })
    }
  }
}

/** On the wire there is only the encoded form, so its schema has the plain name. */
const plainNames = (document: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(document).replace(/"((?:#\/components\/schemas\/)?\w+)Encoded"/g, '"$1"'))

const finish = (document: Record<string, unknown>): Record<string, unknown> => {
  // The generator's document: its paths hold operations by method.
  describeTypes(document["paths"] as Record<string, Record<string, Operation>>)
  return plainNames(document)
}

export class Api extends HttpApi.make("ledgerhook")
  .add(Webhooks)
  .add(Deliveries)
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
      version: "1.0.0",
      description:
        "Watches the XRP Ledger and delivers what happens there as signed webhooks. Every answer carries X-Request-Id.",
      license: { name: "Apache-2.0" },
      transform: finish
    })
  ) {}
