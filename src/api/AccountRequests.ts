/**
 * Bounds what the requests of one account use of a process, whatever its keys: how many run at once and how many wait
 * for their turn. Together all requests use a part of the database's connections, so the stages always have the others.
 */
import { Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { ForRequest } from "../storage/ForRequest.ts"
import { makeTurns } from "./Turns.ts"

export const makeAccountRequests = () => {
  const { atOnce, waiting } = Limits.accountRequests
  const turns = makeTurns(atOnce)
  return {
    /** Whether so many requests of the account run and wait that another one must be refused. */
    isFull: (accountId: string): boolean => turns.users(accountId) >= atOnce + waiting,
    /** Runs the request when it is its turn. */
    run: <A, E, R>(accountId: string, request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      turns.run(accountId, Effect.provideService(request, ForRequest, true))
  }
}
