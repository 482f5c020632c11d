/** Which schema registries a start waits for: those that cannot answer now, and not those that are wrong. */
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { awayOf } from "../../../src/app/start/Away.ts"
import { registerSchemas } from "../../../src/spine/log/kafka/SchemaRegistry.ts"
import { answering, makeAnsweringRegistry } from "../../support/log/answeringRegistry.ts"
import { certificates } from "../../support/servers/certificates.ts"

describe("a schema registry", () => {
  it.live("that is starting or overloaded is waited for, and one that is wrong is not", () =>
    Effect.gen(function* () {
      const isWaitedFor = (status: number) =>
        Effect.map(
          Effect.flatMap(makeAnsweringRegistry(answering(status, '{"message":"no leader"}')), ({ host }) =>
            Effect.flip(registerSchemas(`http://${host}`, "", ["testnet"]))
          ),
          (error) => awayOf(error) !== undefined
        )
      for (const status of [429, 500, 502, 503, 504]) assert.isTrue(yield* isWaitedFor(status), `${status}`)
      for (const status of [400, 401, 403, 404, 422]) assert.isFalse(yield* isWaitedFor(status), `${status}`)
    })
  )

  it.live("whose authority is its own is refused with the certificate's fault, and not waited for", () =>
    Effect.gen(function* () {
      const port = yield* Effect.acquireRelease(
        Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
          const server = createServer(certificates.localhost, answering(200, "{}")).listen(0, () => {
            // The cast is safe: a server that listens on TCP has an `AddressInfo`.
            resume(
              Effect.succeed({ port: (server.address() as AddressInfo).port, close: () => server.close() })
            )
          })
        }),
        ({ close }) => Effect.sync(close)
      ).pipe(Effect.map((server) => server.port))
      const error = yield* Effect.flip(registerSchemas(`https://localhost:${port}`, "", ["testnet"]))
      assert.strictEqual(
        error.message,
        `SCHEMA_REGISTRY_URL: the registry at localhost:${port} was reached, but is not accepted: TLS: self-signed certificate; to trust it, name its authority's file in NODE_EXTRA_CA_CERTS.`
      )
      assert.isUndefined(awayOf(error))
    })
  )
})
