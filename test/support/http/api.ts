/**
 * The API on a free port of this machine, with the test's own database and the memory log. Tests call it by real HTTP.
 * It runs on the real clock, and tests compare the times in its answers with that clock.
 */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as NetAddress from "effect/net/NetAddress"
import { serverLayer } from "../../../src/app/Server.ts"
import { storesOfFeatures } from "../../../src/app/Services.ts"
import { AccountStore } from "../../../src/features/accounts/AccountStore.ts"
import { ApiKeyStore } from "../../../src/features/accounts/ApiKeyStore.ts"
import { IdempotencyStore } from "../../../src/http/IdempotencyStore.ts"
import type { Environment } from "../../../src/spine/config/Config.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { UsageStore } from "../../../src/spine/deliveries/UsageStore.ts"
import type { Scope } from "../../../src/spine/domain/ApiKey.ts"
import type { Plan } from "../../../src/spine/domain/Plans.ts"
import type { KeyEnvironment } from "../../../src/spine/event/Network.ts"
import { BackfillStore } from "../../../src/spine/ledger/backfill/BackfillStore.ts"
import { Health } from "../../../src/spine/observe/Health.ts"
import { DisableWebhooks } from "../../../src/spine/registry/DisableWebhooks.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import * as MemoryLog from "../log/memory/MemoryLog.ts"
import { settingsLayer } from "../program/settings.ts"
import { UsedDatabase } from "../store/postgres.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; null if there is none. It has a loose type, because tests check its real content. */
  readonly body: Json
}

/** The parts of every error's body. */
export const assertErrorBody = (body: Json, code: string) => {
  assert.deepStrictEqual(Object.keys(body), ["error"])
  const { code: given, message, param, suggestion, doc_url, errors, accounts, ...others } = body.error
  assert.deepStrictEqual(
    [given, doc_url, others],
    [code, `/docs/errors#${code.toLowerCase()}`, {}],
    JSON.stringify(body)
  )
  // A validation error lists its faults, the first of which is its own.
  if (code === "VALIDATION_ERROR" && param !== undefined)
    assert.deepStrictEqual(errors[0], { param, message, ...(suggestion === undefined ? {} : { suggestion }) })
  else assert.isUndefined(errors)
  assert.strictEqual(accounts !== undefined, code === "SESSION_OF_ANOTHER_ACCOUNT")
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any body, and their assertions check its types
type Json = any

export interface Call {
  readonly key?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export class ApiUnderTest extends Context.Service<
  ApiUnderTest,
  {
    readonly url: string
    readonly call: (method: string, path: string, call?: Call) => Effect.Effect<Answer>
    /** Creates an account with a key that has every scope. */
    readonly account: (
      environment?: KeyEnvironment,
      plan?: Plan
    ) => Effect.Effect<{ accountId: string; key: string }>
    readonly keyFor: (
      accountId: string,
      environment: KeyEnvironment,
      scopes?: ReadonlyArray<Scope>
    ) => Effect.Effect<string>
  }
>()("ledgerhook/test/ApiUnderTest") {}

/** The body's text. Event streams never end, so only their first chunk is read. */
const textOf = async (response: Response): Promise<string> => {
  if (response.body === null || response.headers.get("content-type") !== "text/event-stream")
    return response.text()
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

const connect = Layer.effect(
  ApiUnderTest,
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const accounts = yield* AccountStore
    const keys = yield* ApiKeyStore
    if (!NetAddress.isInetAddress(address)) return yield* Effect.die(new Error("not listening on a port"))
    const url = `http://127.0.0.1:${address.port}`

    const keyFor = (
      accountId: string,
      environment: KeyEnvironment,
      scopes: ReadonlyArray<Scope> = ["admin"]
    ) =>
      keys.create({ accountId, name: "test", scopes, environment }, Date.now()).pipe(
        Effect.orDie,
        Effect.map((created) => created!.value)
      )

    return {
      url,
      keyFor,
      account: (environment = "live", plan = "enterprise") =>
        Effect.gen(function* () {
          const accountId = yield* Effect.orDie(
            accounts.create({ name: "test", email: null, plan }, Date.now())
          )
          return { accountId, key: yield* keyFor(accountId, environment) }
        }),
      call: (method, path, { key, body, headers } = {}) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}${path}`, {
            method,
            redirect: "manual",
            headers: {
              ...(key === undefined ? {} : { "x-service-key": key }),
              ...(body === undefined ? {} : { "content-type": "application/json" }),
              ...headers
            },
            ...(body === undefined
              ? {}
              : {
                  body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)
                })
          })
          const text = await textOf(response)
          return {
            status: response.status,
            headers: response.headers,
            text,
            body:
              text !== "" && response.headers.get("content-type") === "application/json"
                ? JSON.parse(text)
                : null
          }
        })
    }
  })
)

/** Settings of a public service: only public endpoints are allowed, and it watches mainnet and testnet. */
const environment = {
  XRPL_MAINNET_URLS: "ws://127.0.0.1:1",
  XRPL_TESTNET_URLS: "ws://127.0.0.1:1",
  DELIVERY_ALLOW_HTTP: "false",
  DELIVERY_ALLOW_PRIVATE_ADDRESSES: "false"
}

/** The stores that the API uses. */
export const storesLayer = (given: Environment = {}) =>
  Layer.mergeAll(
    storesOfFeatures,
    DeliveryStore.layer,
    BackfillStore.layer,
    UsageStore.layer,
    DisableWebhooks.layer,
    IdempotencyStore.layer
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Outbox.layer, SecretBox.layer, Partitions.layer, Health.layer, MemoryLog.layer)
    ),
    Layer.provideMerge(UsedDatabase),
    Layer.provideMerge(settingsLayer({ ...environment, ...given }))
  )

export const apiLayer = (given: Environment = {}) =>
  connect.pipe(Layer.provideMerge(serverLayer), Layer.provideMerge(storesLayer(given)))

/** Starts a second server on the same stores, like a second machine; it stops when the scope closes. */
export const anotherServer = Layer.build(Layer.fresh(connect.pipe(Layer.provide(serverLayer)))).pipe(
  Effect.map((context) => Context.get(context, ApiUnderTest))
)
