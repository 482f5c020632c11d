/** Opens connections to receivers for undici, after checking the address: TCP (net/Connect.ts), then TLS for https. */
import type { Socket } from "node:net"
import { Cause, Effect, Exit } from "effect"
import { buildConnector } from "undici"
import { isPublicAddress, literalAddress } from "../../domain/AddressGuard.ts"
import { connectTcp, within } from "../../net/Connect.ts"
import type { Resolve } from "../../net/Resolver.ts"

export const makeConnector = (options: {
  readonly allowPrivate: boolean
  readonly timeoutMs: number
  readonly resolve: Resolve
}): buildConnector.connector => {
  const { allowPrivate, resolve, timeoutMs } = options
  const isAllowed = allowPrivate ? () => true : isPublicAddress
  // Over HTTP/2 a receiver could send without limit, and requests cost more CPU: docs/decisions/0015-http2.md.
  const connectTls = buildConnector({ allowH2: false, timeout: 0 })

  const secured = (target: buildConnector.Options, httpSocket: Socket) =>
    Effect.callback<Socket, Error>((resume) => {
      // Servers refuse a name with the root's dot (RFC 6066, section 3).
      const servername = target.hostname.replace(/\.$/, "")
      const named = literalAddress(target.hostname) === undefined ? { ...target, servername } : target
      connectTls({ ...named, httpSocket }, (...[error, socket]) =>
        resume(error === null ? Effect.succeed(socket) : Effect.fail(error))
      )
      return Effect.sync(() => httpSocket.destroy())
    })

  return (target, callback) => {
    const { hostname, port, protocol } = target
    const isSecure = protocol === "https:"
    const connecting = connectTcp(hostname, Number(port || (isSecure ? 443 : 80)), {
      isAllowed,
      resolve
    }).pipe(
      Effect.flatMap((socket) => (isSecure ? secured(target, socket) : Effect.succeed(socket))),
      within(timeoutMs)
    )
    Effect.runFork(connecting).addObserver((exit) => {
      if (Exit.isSuccess(exit)) callback(null, exit.value)
      // All failures and defects of connecting are errors.
      else callback(Cause.squash(exit.cause) as Error, null)
    })
  }
}
