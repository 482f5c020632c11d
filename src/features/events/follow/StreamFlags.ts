/** The flags of the commands that follow events, and the request that they make. */
import { Flag } from "effect/cli"
import { type Includable, includables } from "../../../spine/event/Include.ts"
import { type Network, networks } from "../../../spine/event/Network.ts"
import { patternsFlag } from "../../../terminal/EventTypeFlags.ts"
import { optional, several } from "../../../terminal/Flags.ts"
import { defined } from "../../../terminal/service/WithService.ts"
import { addressFlag } from "../../../terminal/WantedEvents.ts"
import type { StreamQuery } from "./StreamClient.ts"

/** Which events a stream has. `describe` completes a description that begins with a small letter. */
export const streamFlags = (describe: (text: string) => string) => ({
  types: patternsFlag(
    describe("only events of this type, as nft.minted, or family, as 'nft.*'; repeat it for several")
  ),
  account: addressFlag(describe("only events that involve this XRPL address")).pipe(optional),
  network: Flag.Literals("network", networks).pipe(
    Flag.withDescription(describe("testnet (default) or devnet, with a test key")),
    optional
  ),
  include: Flag.Literals("include", includables).pipe(
    Flag.withDescription(describe("add this to payloads; repeat it for both")),
    several
  )
})

export interface StreamGiven {
  readonly types: ReadonlyArray<string>
  readonly account: string | undefined
  readonly network: Network | undefined
  readonly include: ReadonlyArray<Includable>
}

/** What a stream is asked for. */
export const streamQuery = (given: StreamGiven): StreamQuery =>
  defined({
    event_type: given.types.length === 0 ? undefined : given.types,
    account: given.account,
    network: given.network,
    include: given.include.length === 0 ? undefined : given.include
  })
