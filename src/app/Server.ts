/**
 * The routes that a process serves: with the role `api` the whole contract, `/metrics`, the documents and the dashboard;
 * without it, and on OPS_PORT, only `/healthz`, `/readyz`, `/status` and `/metrics`. All are behind the gate.
 */

import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { STATUS_PATH, statusLayer } from "../features/operate/ServiceStatus.ts"
import { systemLayer } from "../features/operate/SystemHandlers.ts"
import { keyRequiredLayer } from "../http/Authentication.ts"
import { CommonErrors } from "../http/ContractParts.ts"
import { ValidationError } from "../http/Errors.ts"
import { PublishedDocument } from "../http/FeatureContract.ts"
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
import { Api, OperatorApi, openApiDocument } from "./Contract.ts"
import { appLimits } from "./Limits.ts"
import { type Service, services } from "./Services.ts"

const METRICS_PATH = "/metrics"

const isRequestFault = ({ kind }: HttpApiError.HttpApiSchemaError): boolean =>
  kind === "Params" || kind === "Query" || kind === "Payload" || kind === "Headers"

const commonErrorsLayer = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    HttpApiMiddleware.layerSchemaErrorTransform(CommonErrors, (error, { endpoint }) =>
      // A response that does not match its schema is a bug: it becomes a defect, which the gate answers with 500.
      isRequestFault(error)
        ? Effect.flatMap(requestFaults(endpoint, error, settings), (faults) =>
            Effect.fail(ValidationError.of(faults))
          )
        : Effect.fail(error)
    )
  )
)

const metricsPath = { method: "GET", path: METRICS_PATH }
const statusPath = { method: "GET", path: STATUS_PATH }
const metricsLayer = PrometheusMetrics.layerHttp({ path: METRICS_PATH })

const routes = services.flatMap((service): ReadonlyArray<Service["routes"][number]> => service.routes)
const otherPaths = [
  metricsPath,
  statusPath,
  ...routes.flatMap(({ paths }) => paths).map((path) => ({ method: "GET", path }))
]

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

/** One feature at most has pages. */
const [pages = Effect.undefined] = services.flatMap(
  (service): ReadonlyArray<Service["pages"][number]> => service.pages
)

const apiGate = gate(
  findPublicPath,
  Effect.gen(function* () {
    const { admit } = yield* AdmissionQueue
    const { run: idempotent } = yield* Idempotency
    return { admit, idempotent, budget: yield* makeBodyBudget }
  }),
  pages
).pipe(Layer.provide([admissionLayer, Idempotency.layer]))

/** Each feature has handlers for its groups: `makeService` checks it. */
const handlersLayer = Layer.mergeAll(Layer.empty, ...services.map(({ api }) => api.handlers)).pipe(
  Layer.provide([CostlyTurns.layer, admissionLayer])
)

const apiRoutes = HttpApiBuilder.layer(Api).pipe(
  Layer.provide(handlersLayer),
  Layer.merge(metricsLayer),
  Layer.merge(statusLayer),
  Layer.merge(Layer.mergeAll(Layer.empty, ...routes.map(({ layer }) => layer))),
  Layer.provide(Layer.succeed(PublishedDocument, openApiDocument)),
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
        maxParamLength: appLimits.pathSegmentLength
      }
    }),
    serves
  ).pipe(Layer.provide(requestSpans(makeFindPath(Api, []))))

export const serverLayer = serve(apiRoutes, "api")

export const operatorServerLayer = serve(operatorRoutes, "operator")
