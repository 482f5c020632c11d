/**
 * The routes that a process serves: with the role `api` the whole contract, `/metrics`, the documents and the dashboard;
 * without it, and on OPS_PORT, only `/healthz`, `/readyz`, `/status` and `/metrics`. All are behind the gate.
 */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import {
  type HttpApi,
  HttpApiBuilder,
  type HttpApiError,
  type HttpApiGroup,
  HttpApiMiddleware
} from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { accountLayer } from "../features/accounts/AccountHandlers.ts"
import { apiKeysLayer } from "../features/accounts/ApiKeysHandlers.ts"
import { sessionLayer } from "../features/accounts/SessionHandlers.ts"
import { dashboardPages } from "../features/dashboard/Dashboard.ts"
import { deliveriesLayer } from "../features/deliveries/DeliveriesHandlers.ts"
import { docsLayer, documentPaths } from "../features/docs/Docs.ts"
import { eventsLayer } from "../features/events/EventsHandlers.ts"
import { eventTypesLayer } from "../features/events/EventTypesHandlers.ts"
import { EventStreams } from "../features/events/stream/EventStreams.ts"
import { transactionsLayer } from "../features/events/TransactionsHandlers.ts"
import { incidentsLayer } from "../features/health/IncidentsHandlers.ts"
import { noticesLayer } from "../features/health/NoticesHandlers.ts"
import { activityLayer } from "../features/ledgers/ActivityHandlers.ts"
import { ledgersLayer } from "../features/ledgers/LedgersHandlers.ts"
import { LedgerStreams } from "../features/ledgers/stream/LedgerStreams.ts"
import { STATUS_PATH, statusLayer } from "../features/operate/ServiceStatus.ts"
import { systemLayer } from "../features/operate/SystemHandlers.ts"
import { explainLayer } from "../features/progress/ExplainHandlers.ts"
import { progressLayer } from "../features/progress/ProgressHandlers.ts"
import { replayLayer } from "../features/replay/ReplayHandlers.ts"
import { accountFiltersLayer } from "../features/webhooks/AccountFiltersHandlers.ts"
import { webhooksLayer } from "../features/webhooks/WebhooksHandlers.ts"
import { keyRequiredLayer } from "../http/Authentication.ts"
import { CommonErrors } from "../http/ContractParts.ts"
import { ValidationError } from "../http/Errors.ts"
import { gate } from "../http/Gate.ts"
import { AdmissionQueue } from "../http/guard/AdmissionQueue.ts"
import { makeBodyBudget } from "../http/guard/BodyBudget.ts"
import { KeyAdmission } from "../http/guard/KeyAdmission.ts"
import { CostlyTurns } from "../http/guard/Turns.ts"
import { Idempotency } from "../http/Idempotency.ts"
import { listen } from "../http/Listener.ts"
import { isProbe, makeFindPath } from "../http/Paths.ts"
import { requestFaults } from "../http/RequestFaults.ts"
import { requestSpans } from "../http/RequestSpans.ts"
import { Settings } from "../spine/config/Config.ts"
import { Limits } from "../spine/config/Limits.ts"
import { Api, OperatorApi } from "./Contract.ts"

const METRICS_PATH = "/metrics"

const isRequestFault = ({ kind }: HttpApiError.HttpApiSchemaError): boolean =>
  kind === "Params" || kind === "Query" || kind === "Payload" || kind === "Headers"

const commonErrorsLayer = HttpApiMiddleware.layerSchemaErrorTransform(CommonErrors, (error, { endpoint }) =>
  // A response that does not match its schema is a bug: it becomes a defect, which the gate answers with 500.
  isRequestFault(error)
    ? Effect.flatMap(requestFaults(endpoint, error), (faults) => Effect.fail(ValidationError.of(faults)))
    : Effect.fail(error)
)

const metricsPath = { method: "GET", path: METRICS_PATH }
const statusPath = { method: "GET", path: STATUS_PATH }
const metricsLayer = PrometheusMetrics.layerHttp({ path: METRICS_PATH })

const otherPaths = [metricsPath, statusPath, ...documentPaths.map((path) => ({ method: "GET", path }))]

/** With OPS_PORT, health and metrics are only there: PORT may be open to everybody. */
const findPublicPath = Effect.map(Settings, ({ opsPort }) =>
  makeFindPath(
    Api,
    otherPaths,
    opsPort === undefined
      ? undefined
      : (path) => isProbe(path) || path === METRICS_PATH || path === STATUS_PATH
  )
)

/** One queue: of the gate, and of signing in. */
const admissionLayer = AdmissionQueue.layer.pipe(Layer.provide(KeyAdmission.layer))

const apiGate = gate(
  findPublicPath,
  Effect.gen(function* () {
    const { admit } = yield* AdmissionQueue
    const { run: idempotent } = yield* Idempotency
    return { admit, idempotent, budget: yield* makeBodyBudget }
  }),
  dashboardPages
).pipe(Layer.provide([admissionLayer, Idempotency.layer]))

type Groups =
  typeof Api extends HttpApi.HttpApi<infer Id, infer All> ? HttpApiGroup.ToService<Id, All> : never

/** A compile-time check: if a group's handlers are missing below, the error appears here. */
const forEveryGroup = <E, R>(handlers: Layer.Layer<Groups, E, R>): Layer.Layer<Groups, E, R> => handlers

const handlersLayer = forEveryGroup(
  Layer.mergeAll(
    webhooksLayer,
    accountFiltersLayer,
    incidentsLayer,
    progressLayer,
    deliveriesLayer,
    replayLayer,
    eventsLayer.pipe(Layer.provide(EventStreams.layer)),
    eventTypesLayer,
    ledgersLayer,
    transactionsLayer,
    activityLayer.pipe(Layer.provide(LedgerStreams.layer)),
    explainLayer,
    apiKeysLayer,
    accountLayer,
    noticesLayer,
    sessionLayer.pipe(Layer.provide(admissionLayer)),
    systemLayer
  ).pipe(Layer.provide(CostlyTurns.layer))
)

const apiRoutes = HttpApiBuilder.layer(Api).pipe(
  Layer.provide(handlersLayer),
  Layer.merge(metricsLayer),
  Layer.merge(statusLayer),
  Layer.merge(docsLayer),
  Layer.provide([apiGate, keyRequiredLayer, commonErrorsLayer])
)

const operatorGate = gate(
  Effect.succeed(makeFindPath(OperatorApi, [metricsPath, statusPath])),
  Effect.succeed(undefined),
  Effect.succeed(undefined)
)

const operatorRoutes = HttpApiBuilder.layer(OperatorApi).pipe(
  Layer.provide(systemLayer),
  Layer.merge(metricsLayer),
  Layer.merge(statusLayer),
  Layer.provide([operatorGate, commonErrorsLayer])
)

const serve = <E, R>(routes: Layer.Layer<never, E, R>, serves: "api" | "operator") =>
  listen(
    HttpRouter.serve(routes, {
      disableLogger: true,
      disableListenLog: true,
      // Each resource has exactly one spelling of its path.
      routerConfig: {
        ignoreTrailingSlash: false,
        ignoreDuplicateSlashes: false,
        caseSensitive: true,
        maxParamLength: Limits.pathSegmentLength
      }
    }),
    serves
  ).pipe(Layer.provide(requestSpans))

export const serverLayer = serve(apiRoutes, "api")

export const operatorServerLayer = serve(operatorRoutes, "operator")
