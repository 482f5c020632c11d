/** The `xrpl` package's client connected to a local server: it shows the server as users would see it. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Client, type RippledError } from "xrpl"

type Fields = Record<string, unknown>

/** Connects the client; it disconnects when the scope closes. */
export const xrplClient = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client(url)
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.disconnect())
  )

/** The answer's `result`. It accepts any request, because tests also send ones that xrpl's types forbid. */
export const ask = (client: Client, request: object): Effect.Effect<Fields> =>
  Effect.promise(async () => ((await client.request(request as never)) as { readonly result: Fields }).result)

/** The complete answer to a request that the server must refuse. */
export const refusal = (client: Client, request: object): Effect.Effect<Fields> =>
  Effect.promise(() =>
    client.request(request as never).then(
      () => assert.fail("was answered"),
      (error: RippledError) => error.data as Fields
    )
  )
