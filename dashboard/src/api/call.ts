/**
 * Calls of the API. A call returns the response's data or throws an `ApiFailure`. Each response also tells how many
 * requests the key has left, which decides how often pages refresh (refresh.ts).
 */
import { type ApiResponse, HttpError, ok, type SuccessResponse, type WithHeaders } from "@oazapfts/runtime"
import { callAnswered, callUnanswered } from "./connection.ts"
import * as client from "./ledgerhook.ts"
import { requestsLeftOf, setRequestsLeft } from "./refresh.ts"

const ENVIRONMENT_HEADER = "X-Service-Environment"
export type Environment = "live" | "test"

/** What is wrong with one field. `param`: a JSON pointer into the request's body, such as `/event_types/1`. */
export interface Fault {
  readonly param: string
  readonly message: string
  /** The nearest value that is right. */
  readonly suggestion?: string
}

interface NamedAccount {
  readonly id: string
  readonly name: string
}

/** The account that this browser is signed in to, and the one of the key or the link that was to sign in. */
export interface TwoAccounts {
  readonly signed_in: NamedAccount
  readonly wanted: NamedAccount
}

export class ApiFailure extends Error {
  /** 0: there was no response. */
  readonly status: number
  readonly code: string
  /** What the service quotes in its log. */
  readonly requestId: string | undefined
  readonly faults: ReadonlyArray<Fault>
  /** Of SESSION_OF_ANOTHER_ACCOUNT only. */
  readonly accounts: TwoAccounts | undefined
  constructor(
    status: number,
    code: string,
    message: string,
    requestId: string | undefined,
    faults: ReadonlyArray<Fault> = [],
    accounts?: TwoAccounts
  ) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.faults = faults
    this.accounts = accounts
  }
}

const UNREACHABLE = "The service did not answer. Check that it is running and that you are online."

/** The API's error. */
interface Sent extends Fault {
  readonly code: string
  readonly errors: ReadonlyArray<Fault>
  readonly accounts: TwoAccounts
}

const failureOf = (thrown: unknown): ApiFailure => {
  if (!(thrown instanceof HttpError)) return new ApiFailure(0, "UNREACHABLE", UNREACHABLE, undefined)
  const { error } = Object(thrown.data) as { readonly error?: Partial<Sent> }
  return new ApiFailure(
    thrown.status,
    error?.code ?? "UNREADABLE",
    error?.message ?? `The service answered ${thrown.status} without saying why.`,
    thrown.headers.get("x-request-id") ?? undefined,
    error?.errors ??
      (error?.param === undefined ? [] : [{ param: error.param, message: error.message ?? "" }]),
    error?.accounts
  )
}

type Listener = (failure: ApiFailure) => void
let onUnauthorized: Listener = () => {}

/** `listener` is called when the service says that the session has ended. */
export const whenUnauthorized = (listener: Listener): void => {
  onUnauthorized = listener
}

/** The session of which key requests use. The header `X-Requested-With` is one that pages of other sites cannot send. */
export const sendAs = (environment: Environment | undefined): void => {
  client.defaults.headers = {
    "X-Requested-With": "ledgerhook",
    ...(environment !== undefined && { [ENVIRONMENT_HEADER]: environment })
  }
}

client.defaults.baseUrl = ""
client.defaults.fetch = async (input, init) => {
  const response = await fetch(input, { ...init, credentials: "same-origin", cache: "no-store" }).catch(
    (cause) => {
      callUnanswered()
      throw cause
    }
  )
  callAnswered()
  const left = requestsLeftOf(response.headers)
  if (left !== undefined) setRequestsLeft(left)
  return response
}

/**
 * The body of a response that does not end, such as server-sent events, which the generated client cannot read. Throws as
 * `call` does; until `signal` is aborted.
 */
export const openStream = async (
  path: string,
  signal: AbortSignal
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> => {
  const headers = new Headers(client.defaults.headers as Record<string, string>)
  const response = await fetch(path, {
    headers,
    signal,
    credentials: "same-origin",
    cache: "no-store"
  }).catch((cause) => {
    throw failureOf(cause)
  })
  if (response.ok && response.body !== null) return response.body
  const failure = failureOf(
    new HttpError(response.status, await response.json().catch(() => ({})), response.headers)
  )
  if (failure.status === 401) onUnauthorized(failure)
  throw failure
}

/** As `call`, for requests whose refusal does not mean that the session has ended. */
export const ask = async <R extends WithHeaders<ApiResponse>>(
  request: Promise<R>
): Promise<SuccessResponse<R>> => {
  try {
    return await ok(request)
  } catch (thrown) {
    throw failureOf(thrown)
  }
}

/** The data of a successful response. Throws an ApiFailure otherwise. */
export const call = async <R extends WithHeaders<ApiResponse>>(
  request: Promise<R>
): Promise<SuccessResponse<R>> => {
  try {
    return await ask(request)
  } catch (thrown) {
    if (thrown instanceof ApiFailure && thrown.status === 401) onUnauthorized(thrown)
    throw thrown
  }
}
