/**
 * Which paths the API has, and which methods each accepts: those of the contract, `/metrics` and the documents. The
 * gate looks a path up before the handler runs, so that an unknown path, a wrong method and OPTIONS are answered alike
 * everywhere. Pure.
 */
import { Context, Schema } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import type { Scope } from "../domain/ApiKey.ts"
import { BodyBytes, RequiredScope } from "./contract/Common.ts"
import type { BodyUse } from "./RequestBody.ts"

/** The properties of an endpoint that the gate uses. */
export interface EndpointFacts {
  /** Undefined: any valid key is accepted, or no key is needed. */
  readonly scope: Scope | undefined
  readonly body: BodyUse
  /** Undefined: `Limits.requestBodyBytes`. */
  readonly bodyBytes: number | undefined
  readonly hasQuery: boolean
}

interface KnownPath {
  /** The path in the contract, such as `/v1/webhooks/:id`. */
  readonly template: string
  /** By method, in upper case. */
  readonly endpoints: ReadonlyMap<string, EndpointFacts>
  /** The value of `Allow`. */
  readonly allow: string
}

export type FindPath = (path: string) => KnownPath | undefined

/** The URL without its query. */
export const pathOf = (url: string): string => url.split("?", 1)[0]!

/** The query without its question mark. */
export const queryOf = (url: string): string => url.slice(pathOf(url).length + 1)

/** Whether the path needs a key. True also for unknown paths under /v1. */
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

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/")

const matches = (template: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  template.length === path.length &&
  template.every((segment, i) => (segment.startsWith(":") ? path[i] !== "" : segment === path[i]))

const parameters = (template: ReadonlyArray<string>): number =>
  template.filter((segment) => segment.startsWith(":")).length

export const allowOf = (methods: ReadonlyArray<string>): string =>
  [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")

export const makeFindPath = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  others: ReadonlyArray<OtherPath>
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
        body: bodyUseOf(endpoint.payload),
        bodyBytes: Context.getOrUndefined(mergedAnnotations, BodyBytes),
        hasQuery: endpoint.query !== undefined
      })
  })
  // Documents ignore a query: `?v=2` is often used to bypass caches.
  const other: EndpointFacts = { scope: undefined, body: "none", bodyBytes: undefined, hasQuery: true }
  for (const { method, path } of others) add(method, path, other)

  const known = [...byPath]
    .map(([path, endpoints]) => ({
      template: path,
      segments: segmentsOf(path),
      endpoints,
      allow: allowOf([...endpoints.keys()])
    }))
    // `/v1/deliveries/stats` before `/v1/deliveries/:id`.
    .sort((a, b) => parameters(a.segments) - parameters(b.segments))
  return (path) => {
    const segments = segmentsOf(path)
    return known.find((one) => matches(one.segments, segments))
  }
}
