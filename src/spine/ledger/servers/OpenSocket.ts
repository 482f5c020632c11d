/**
 * Opens the socket below a WebSocket to a ledger server: TCP (net/Connect.ts), then TLS for `wss`. Node's HTTP client
 * calls it, through the option `createConnection` of `ws`.
 */

import { isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { Cause, Effect, Exit } from "effect"
import { connectTcp, within } from "../../net/Connect.ts"
import { Resolver } from "../../net/Resolver.ts"
import { ledgerLimits } from "../Limits.ts"

interface Target {
  readonly host: string
  readonly port: number | string
}

const connectTo = ({ host, port }: Target): Effect.Effect<Socket, Error> =>
  Effect.flatMap(Resolver, (resolve) =>
    connectTcp(host, Number(port), { resolve, isAllowed: () => true })
  ).pipe(within(ledgerLimits.ledgerConnectMs))

/** TLS without the root's dot, which servers refuse in a name (RFC 6066, section 3). */
const secured = (socket: Socket, host: string): Socket =>
  connectTls({ socket, servername: isIP(host) === 0 ? host.replace(/\.$/, "") : "" })

export const openSocket =
  (isSecure: boolean) =>
  (target: Target, opened: (error: Error | null, socket?: Socket) => void): void => {
    Effect.runFork(connectTo(target)).addObserver((exit) => {
      // All failures and defects of connecting are errors.
      if (Exit.isFailure(exit)) opened(Cause.squash(exit.cause) as Error)
      else opened(null, isSecure ? secured(exit.value, target.host) : exit.value)
    })
  }
