/** The ceiling of deliveries: bare undici POSTs of given requests, on connections with the sender's options. */

import { Effect } from "effect"
import { Agent } from "undici"
import { deliverLimits } from "../../src/spine/deliver/Limits.ts"
import type { SignedRequest } from "../../src/spine/deliver/send/Signer.ts"

export interface Posts {
  /** Sends each list in order, `atOnce` of it at a time, all lists concurrently. Calls `ended` for each. */
  readonly send: (
    lists: ReadonlyArray<ReadonlyArray<SignedRequest>>,
    atOnce: number,
    ended?: (request: SignedRequest) => void
  ) => Effect.Effect<void>
}

export const makePosts = Effect.gen(function* () {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Agent({
          connections: deliverLimits.connectionsPerOrigin,
          keepAliveTimeout: deliverLimits.connectionIdleMs,
          keepAliveMaxTimeout: deliverLimits.connectionIdleMs,
          headersTimeout: 0,
          bodyTimeout: 0
        })
    ),
    (made) => Effect.promise(() => made.destroy())
  )

  const post = ({ url, headers, body }: SignedRequest) =>
    new Promise<void>((resolve, reject) => {
      agent.dispatch(
        { origin: url.origin, path: url.pathname, method: "POST", headers, body },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_, status) => {
            if (status !== 200) reject(new Error(`the receiver answered ${status}`))
          },
          onResponseData: () => undefined,
          onResponseEnd: () => resolve(),
          onResponseError: (_, error) => reject(error)
        }
      )
    })

  const posts: Posts = {
    send: (lists, atOnce, ended = () => undefined) =>
      Effect.promise(async () => {
        const workers = lists.flatMap((list) => {
          let next = 0
          return Array.from({ length: atOnce }, async () => {
            while (next < list.length) {
              const request = list[next++]!
              await post(request)
              ended(request)
            }
          })
        })
        await Promise.all(workers)
      })
  }
  return posts
})
