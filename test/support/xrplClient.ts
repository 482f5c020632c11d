/** xrpl's own client against a local server: what users of a real server would see. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Client, type RippledError } from "xrpl"

type Fields = Record<string, unknown>

/** Connected for the life of the scope. */
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

/** The whole answer to a request that must be refused. */
export const refusal = (client: Client, request: object): Effect.Effect<Fields> =>
  Effect.promise(() =>
    client.request(request as never).then(
      () => assert.fail("was answered"),
      (error: RippledError) => error.data as Fields
    )
  )
