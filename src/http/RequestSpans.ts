/**
 * Traces of requests. Only paths under /v1 are traced, so that probes do not hide them. A span is named by the method
 * and the path of the contract. Query values are left out, because a caller may have put a key there by mistake.
 */
import { Layer } from "effect"
import { HttpMiddleware, UrlParams } from "effect/http"
import { type FindPath, isApiPath, pathOf } from "./Paths.ts"

export const requestSpans = (findPath: FindPath): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) => !isApiPath(pathOf(url))),
    Layer.succeed(
      HttpMiddleware.SpanNameGenerator,
      ({ method, url }) => `${method} ${findPath(pathOf(url))?.template ?? "/v1"}`
    ),
    Layer.succeed(UrlParams.CurrentRedactedNames, [/./])
  )
