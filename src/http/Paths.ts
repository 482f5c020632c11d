/**
 * Which paths the API has, and which methods each accepts: those of the contract, `/metrics` and the documents. The
 * gate looks a path up before the handler runs, so that an unknown path, a wrong method and OPTIONS are answered alike
 * everywhere. Pure.
 */
import { Context, Schema } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { Limits } from "../spine/config/Limits.ts"
import type { Scope } from "../spine/domain/ApiKey.ts"
import { nearest } from "../spine/words/Nearest.ts"
import { BodyBytes, Keyless, RequiredScope } from "./ContractParts.ts"
import { httpLimits } from "./Limits.ts"
import type { BodyUse } from "./RequestBody.ts"

/** The properties of an endpoint that the gate uses. */
export interface EndpointFacts {
  /** Undefined: any valid key is accepted, or no key is needed. */
  readonly scope: Scope | undefined
  readonly body: BodyUse
  /** The largest body. */
  readonly bodyBytes: number
  readonly hasQuery: boolean
  readonly keyless: boolean
}

interface KnownPath {
  /** The path in the contract, such as `/v1/webhooks/:id`. */
  readonly template: string
  /** By method, in upper case. */
  readonly endpoints: ReadonlyMap<string, EndpointFacts>
  /** The value of `Allow`. */
  readonly allow: string
  /** Whether no endpoint of the path needs a key. */
  readonly keyless: boolean
}

export interface FindPath {
  (path: string): KnownPath | undefined
  /** The known path that an unknown one is most like, as the documents write it: `/v1/webhooks/{id}`. */
  readonly near: (path: string) => string | undefined
}

/** The URL without its query. */
export const pathOf = (url: string): string => url.split("?", 1)[0]!

/** The query without its question mark. */
export const queryOf = (url: string): string => url.slice(pathOf(url).length + 1)

/** Whether the path is the API's, which needs a key if it is not `keyless`. True also for unknown paths. */
export const isApiPath = (path: string): boolean => path === "/v1" || path.startsWith("/v1/")

/** Monitoring requests these paths and restarts a process that answers late. */
export const isProbe = (path: string): boolean =>
  path === "/healthz" || path === "/readyz" || path.startsWith("/readyz/")

export interface OtherPath {
  readonly method: string
  readonly path: string
}

/** A payload that accepts undefined may be omitted (contract/Common, `bodyOptional`). */
const bodyUseOf = (payload: HttpApiEndpoint.PayloadMap): BodyUse => {
  const schemas = [...payload.values()].flatMap((entry) => entry.schemas)
  if (schemas.length === 0) return "none"
  return schemas.some((schema) => Schema.is(schema)(undefined)) ? "optional" : "required"
}

const bodyOf = (
  payload: HttpApiEndpoint.PayloadMap,
  bodyBytes: number | undefined
): Pick<EndpointFacts, "body" | "bodyBytes"> => {
  const body = bodyUseOf(payload)
  return {
    body,
    bodyBytes: bodyBytes ?? (body === "none" ? httpLimits.unusedBodyBytes : Limits.requestBodyBytes)
  }
}

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/")

const matches = (template: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  template.length === path.length &&
  template.every((segment, i) => (segment.startsWith(":") ? path[i] !== "" : segment === path[i]))

const parameters = (template: ReadonlyArray<string>): number =>
  template.filter((segment) => segment.startsWith(":")).length

/** Compares segment by segment, so that ids do not count, with one segment mistyped at most. */
const nearPath = (path: string, templates: ReadonlyArray<string>): string | undefined => {
  // Slashes too many are the most usual mistake.
  const given = segmentsOf(path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, ""))
  const fits = templates.filter((template) => {
    const segments = segmentsOf(template)
    const wrong = segments.filter((segment, i) => !segment.startsWith(":") && segment !== given[i])
    return (
      segments.length === given.length &&
      wrong.length <= 1 &&
      wrong.every((segment) => nearest(given[segments.indexOf(segment)]!, [segment]) !== undefined)
    )
  })
  return fits[0]?.replaceAll(/:(\w+)/g, "{$1}")
}

export const allowOf = (methods: ReadonlyArray<string>): string =>
  [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")

export const makeFindPath = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  others: ReadonlyArray<OtherPath>,
  isHidden: (template: string) => boolean = () => false
): FindPath => {
  const byPath = new Map<string, Map<string, EndpointFacts>>()
  const add = (method: string, path: string, facts: EndpointFacts) => {
    const endpoints = byPath.get(path) ?? new Map<string, EndpointFacts>()
    byPath.set(path, endpoints.set(method, facts))
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) =>
      add(endpoint.method, endpoint.path, {
        scope: Context.getOrUndefined(mergedAnnotations, RequiredScope),
        ...bodyOf(endpoint.payload, Context.getOrUndefined(mergedAnnotations, BodyBytes)),
        hasQuery: endpoint.query !== undefined,
        keyless: Context.getOrUndefined(mergedAnnotations, Keyless) === true
      })
  })
  // Documents ignore a query: `?v=2` is often used to bypass caches.
  const other: EndpointFacts = {
    scope: undefined,
    body: "none",
    bodyBytes: httpLimits.unusedBodyBytes,
    hasQuery: true,
    keyless: true
  }
  for (const { method, path } of others) add(method, path, other)

  const known = [...byPath]
    .filter(([path]) => !isHidden(path))
    .map(([path, endpoints]) => ({
      template: path,
      segments: segmentsOf(path),
      endpoints,
      allow: allowOf([...endpoints.keys()]),
      keyless: [...endpoints.values()].every(({ keyless }) => keyless)
    }))
    // `/v1/deliveries/stats` before `/v1/deliveries/:id`.
    .sort((a, b) => parameters(a.segments) - parameters(b.segments))
  const find = (path: string) => {
    const segments = segmentsOf(path)
    return known.find((one) => matches(one.segments, segments))
  }
  return Object.assign(find, {
    near: (path: string) =>
      nearPath(
        path,
        known.map(({ template }) => template)
      )
  })
}
