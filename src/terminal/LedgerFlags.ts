/** Flags of the commands on a range of ledgers: the range, the network and the server. */
import { Effect } from "effect"
import { Flag } from "effect/cli"
import { Settings } from "../spine/config/Config.ts"
import { urlOf } from "../spine/config/Values.ts"
import { type Network, networks } from "../spine/event/Network.ts"
import { type WrongUsage, wrongUsage } from "./Failure.ts"
import { optional, wholeNumber, withDefault } from "./Flags.ts"
import { settings } from "./Invocation.ts"

export const LEDGER_INDEX_MAX = 4_294_967_295

export const ledgerIndex = (name: string, description: string) =>
  wholeNumber(name, 1, LEDGER_INDEX_MAX, `a ledger index from 1 to ${LEDGER_INDEX_MAX}`).pipe(
    Flag.withDescription(description)
  )

export const from = ledgerIndex("from", "First ledger")
export const to = ledgerIndex("to", "Last ledger (inclusive)")

export const network = Flag.Literals("network", networks).pipe(withDefault<Network>("mainnet", "The network"))

export const serverUrl = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (url) => urlOf("ws:", "wss:")(url) !== undefined,
      () => "a ws:// or wss:// address"
    ),
    optional
  )

export const checkRange = (first: number, last: number): Effect.Effect<void, WrongUsage> =>
  first <= last ? Effect.void : Effect.fail(wrongUsage(`--from ${first} is after --to ${last}.`))

/** The given server, else the first one in the settings. Settings are read only if no server is given. */
export const chooseServer = (given: string | undefined, of: Network) =>
  given !== undefined
    ? Effect.succeed(given)
    : Effect.gen(function* () {
        const { networks: watched } = yield* Settings
        const url = watched.find((one) => one.network === of)?.urls[0]
        if (url === undefined)
          return yield* wrongUsage(
            `XRPL_${of.toUpperCase()}_URLS: no server of ${of} is configured; give one with --url.`
          )
        return url
      }).pipe(Effect.provide(settings))
