/** The API server: the contract's routes with their handlers, behind the gate, on the listener's port. */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { Limits } from "../config/Limits.ts"
import { KeyAdmission } from "../storage/KeyAdmission.ts"
import { AdmissionQueue } from "./AdmissionQueue.ts"
import { keyRequiredLayer } from "./Authentication.ts"
import { Api } from "./Contract.ts"
import { CommonErrors } from "./contract/Common.ts"
import { DOCS_PATH, docsLayer } from "./Docs.ts"
import { validationError } from "./Errors.ts"
import { gate } from "./Gate.ts"
import { accountLayer } from "./handlers/Account.ts"
import { apiKeysLayer } from "./handlers/ApiKeys.ts"
import { deliveriesLayer } from "./handlers/Deliveries.ts"
import { eventsLayer } from "./handlers/Events.ts"
import { ledgersLayer } from "./handlers/Ledgers.ts"
import { replayLayer } from "./handlers/Replay.ts"
import { systemLayer } from "./handlers/System.ts"
import { webhooksLayer } from "./handlers/Webhooks.ts"
import { listen } from "./Listener.ts"
import { requestSpans } from "./RequestSpans.ts"
import { schemaMessage } from "./SchemaMessages.ts"

const OPENAPI_PATH = "/openapi.json"
/** Prometheus text of every metric in observability/Metrics. */
const METRICS_PATH = "/metrics"

const isRequestFault = ({ kind }: HttpApiError.HttpApiSchemaError): boolean =>
  kind === "Params" || kind === "Query" || kind === "Payload" || kind === "Headers"

const commonErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(CommonErrors, (error) =>
  // What is wrong with a response is our own mistake: it becomes a defect, and the gate's 500.
  Effect.fail(isRequestFault(error) ? validationError(schemaMessage(error)) : error)
)

const gateLayer = gate([
  { method: "GET", path: OPENAPI_PATH },
  { method: "GET", path: METRICS_PATH },
  { method: "GET", path: DOCS_PATH }
]).pipe(Layer.provide(AdmissionQueue.layer), Layer.provide(KeyAdmission.layer))

const routes = HttpApiBuilder.layer(Api, { openapiPath: OPENAPI_PATH }).pipe(
  Layer.provide([
    webhooksLayer,
    deliveriesLayer,
    replayLayer,
    eventsLayer,
    ledgersLayer,
    apiKeysLayer,
    accountLayer,
    systemLayer
  ]),
  Layer.merge(PrometheusMetrics.layerHttp({ path: METRICS_PATH })),
  Layer.merge(docsLayer),
  // It serves every path, and provides the handlers' caller.
  Layer.provide([gateLayer, keyRequiredLayer, commonErrorsLayer])
)

export const serverLayer = listen(
  HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    // A path is what it says: no second spelling of it is the same resource.
    routerConfig: {
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      caseSensitive: true,
      maxParamLength: Limits.pathSegmentLength
    }
  })
).pipe(Layer.provide(requestSpans))
