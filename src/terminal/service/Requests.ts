/**
 * The client of the parts of a service's API that a command uses, made from their contracts, and the sentences for what a
 * service answers. Loaded only by commands that make requests, because contracts take long to load.
 */
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { type HttpApi, HttpApiClient, type HttpApiGroup } from "effect/http-api"
import { KEY_HEADER } from "../../http/ContractParts.ts"
import type { ApiId } from "../../http/FeatureContract.ts"
import { faultsOf } from "../../http/RequestFaults.ts"
import { connectionFailure } from "../../spine/deliver/send/RequestFailures.ts"
import { printable } from "../../spine/words/Printable.ts"
import { CommandFailed, failed, WrongUsage, wrongUsage } from "../Failure.ts"
import { KEY_VARIABLE, type Target, URL_VARIABLE } from "./ServiceTarget.ts"

/** Characters shown of a service's own sentences. */
const MESSAGE_CHARS = 2_000

/** The text that `connectionFailure` returns for an unknown error. */
const NO_REASON = "connection failed"

/** Why a request got no answer. For ports that fetch refuses, the error has no code, only a message. */
export const requestFailure = (error: unknown): string => {
  const cause = error instanceof HttpClientError.HttpClientError ? error.reason.cause : error
  const text = connectionFailure(cause)
  return text === NO_REASON && cause instanceof Error && cause.cause instanceof Error
    ? `${text} (${printable(cause.cause.message, MESSAGE_CHARS)})`
    : text
}

export interface Refusal {
  readonly code: string
  readonly message: string
}

/** The error in a body, in the data of an `error` event, or in a decoded answer. Several faults are several sentences. */
export const refusalOf = (value: unknown): Refusal | undefined => {
  const { error } = Object(value)
  const { code, errors, message } = Object(error)
  if (typeof code !== "string" || typeof message !== "string") return undefined
  const faults = Array.isArray(errors) ? errors.map((fault) => String(Object(fault).message)) : []
  return { code, message: printable(faults.length > 1 ? faults.join(" ") : message, MESSAGE_CHARS) }
}

export const refused = (url: string, { code, message }: Refusal): CommandFailed => {
  const advice = code === "UNAUTHORIZED" ? ` Set ${KEY_VARIABLE} to a valid key of this service.` : ""
  return failed(`${url}: ${message} (${code})${advice}`)
}

/** `what` did answer, but is no Ledgerhook API. */
export const noApi = (url: string, status: number): CommandFailed =>
  failed(
    `${url} answered HTTP ${status}, but not as a Ledgerhook API does; set ${URL_VARIABLE} to the address of one, as https://api.example.com.`
  )

const adviceFor = (reason: string): string => {
  if (!reason.startsWith("TLS:")) return `Check ${URL_VARIABLE}, and whether the service runs.`
  return /issuer unknown|self-signed/.test(reason)
    ? "If you trust it, name its file in NODE_EXTRA_CA_CERTS."
    : `Check ${URL_VARIABLE}, and the service's certificate.`
}

export const unreachable = (url: string, reason: string): CommandFailed =>
  failed(`${url} cannot be reached: ${reason}. ${adviceFor(reason)}`)

/** Turns failed requests into what the command says. Its own failures stay as they are. */
export const sentencesOf =
  ({ url }: Target) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.mapError(self, (error): CommandFailed | WrongUsage => {
      if (error instanceof CommandFailed || error instanceof WrongUsage) return error
      const refusal = refusalOf(error)
      if (refusal !== undefined) return refused(url, refusal)
      // The client checks a request before it sends it.
      if (Schema.isSchemaError(error))
        return wrongUsage(faultsOf("Payload", error.issue, undefined)[0]!.message)
      if (error instanceof HttpClientError.HttpClientError && "response" in error.reason)
        return noApi(url, error.reason.response.status)
      return unreachable(url, requestFailure(error))
    })

/** A redirect is shown as a wrong address, because the key must not follow it. */
const fetching = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

/** Methods named as the contract names its endpoints: `api.webhooks.list`. */
export const connect = <Groups extends HttpApiGroup.Constraint>(
  contract: HttpApi.HttpApi<ApiId, Groups>,
  target: Target
) =>
  HttpApiClient.make(contract, {
    baseUrl: target.url,
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader(KEY_HEADER, target.key)),
    // A body that is not the API's has two failures, of which the first one, its status, says more.
    transformResponse: Effect.catch((error) =>
      Effect.fail(
        Schema.isSchemaError(error)
          ? failed(`${target.url} answered with something that this version cannot read; update it.`)
          : error
      )
    )
  }).pipe(Effect.provide(fetching))

/** The client of these groups. */
export type ServiceApi<Groups extends HttpApiGroup.Constraint> = HttpApiClient.Client<Groups>
