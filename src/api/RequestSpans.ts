/**
 * How requests appear in traces: those under /v1 alone, since probes would crowd them out, each named for its method and
 * the path as the contract writes it, without the values of its query: somebody may have written a key there.
 */
import { Layer } from "effect"
import { HttpMiddleware, UrlParams } from "effect/http"
import { Api } from "./Contract.ts"
import { isApiPath, makeFindPath, pathOf } from "./Paths.ts"

const findPath = makeFindPath(Api, [])

export const requestSpans: Layer.Layer<never> = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) => !isApiPath(pathOf(url))),
  Layer.succeed(
    HttpMiddleware.SpanNameGenerator,
    ({ method, url }) => `${method} ${findPath(pathOf(url))?.template ?? "/v1"}`
  ),
  Layer.succeed(UrlParams.CurrentRedactedNames, [/./])
)
