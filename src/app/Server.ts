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
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { KeyAdmission } from "../storage/accounts/KeyAdmission.ts"
import { AdmissionQueue } from "./AdmissionQueue.ts"
import { keyRequiredLayer } from "./Authentication.ts"
import { makeBodyBudget } from "./BodyBudget.ts"
import { Api, OperatorApi } from "./Contract.ts"
import { CommonErrors } from "./contract/Common.ts"
import { docsLayer, documentPaths } from "./Docs.ts"
import { dashboardPages } from "./dashboard/Dashboard.ts"
import { ValidationError } from "./Errors.ts"
import { gate } from "./Gate.ts"
import { accountLayer } from "./handlers/Account.ts"
import { accountFiltersLayer } from "./handlers/AccountFilters.ts"
import { activityLayer } from "./handlers/Activity.ts"
import { apiKeysLayer } from "./handlers/ApiKeys.ts"
import { deliveriesLayer } from "./handlers/Deliveries.ts"
import { eventsLayer } from "./handlers/Events.ts"
import { eventTypesLayer } from "./handlers/EventTypes.ts"
import { explainLayer } from "./handlers/Explain.ts"
import { incidentsLayer } from "./handlers/Incidents.ts"
import { ledgersLayer } from "./handlers/Ledgers.ts"
import { noticesLayer } from "./handlers/Notices.ts"
import { progressLayer } from "./handlers/Progress.ts"
import { replayLayer } from "./handlers/Replay.ts"
import { sessionLayer } from "./handlers/Session.ts"
import { systemLayer } from "./handlers/System.ts"
import { transactionsLayer } from "./handlers/Transactions.ts"
import { webhooksLayer } from "./handlers/Webhooks.ts"
import { Idempotency } from "./Idempotency.ts"
import { listen } from "./Listener.ts"
import { isProbe, makeFindPath } from "./Paths.ts"
import { requestFaults } from "./RequestFaults.ts"
import { requestSpans } from "./RequestSpans.ts"
import { STATUS_PATH, statusLayer } from "./ServiceStatus.ts"
import { EventStreams } from "./stream/EventStreams.ts"
import { LedgerStreams } from "./stream/LedgerStreams.ts"
import { CostlyTurns } from "./Turns.ts"

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
