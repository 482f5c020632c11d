/**
 * Bounds what the requests of one account use of a process, whatever its keys: how many run at once and how many wait
 * for their turn. Together all requests use a part of the database's connections, so the stages always have the others.
 */

import { Effect } from "effect"
import { ForRequest } from "../../spine/store/ForRequest.ts"
import type { AccountId } from "../../spine/words/Ids.ts"
import { httpLimits } from "../Limits.ts"
import { makeTurns } from "./Turns.ts"

export const makeAccountRequests = () => {
  const { atOnce, waiting } = httpLimits.accountRequests
  const turns = makeTurns(atOnce)
  /** Runs the request when it is its turn, or `refused` if so many of the account run and wait already. */
  return <A, E, R, E2, R2>(
    accountId: AccountId,
    request: Effect.Effect<A, E, R>,
    refused: Effect.Effect<A, E2, R2>
  ): Effect.Effect<A, E | E2, R | R2> =>
    Effect.suspend(
      (): Effect.Effect<A, E | E2, R | R2> =>
        turns.users(accountId) < atOnce + waiting
          ? turns.run(accountId, Effect.provideService(request, ForRequest, true))
          : refused
    )
}
