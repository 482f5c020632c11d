/**
 * Opens connections to receivers, after checking the address. The socket connects to the addresses that passed the
 * check and does not resolve the name again: a DNS answer that changes afterwards has no effect.
 */
import type { LookupFunction } from "node:net"
import { buildConnector } from "undici"
import { isPublicAddress, literalAddress } from "../domain/AddressGuard.ts"
import type { Resolve } from "./Resolver.ts"

class AddressNotAllowed extends Error {
  readonly code = "ADDRESS_NOT_ALLOWED"
}

const lookupBy =
  (resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      ({ addresses }) => {
        const allowed = addresses.filter(({ address }) => isAllowed(address))
        const [first] = allowed
        if (first === undefined) callback(new AddressNotAllowed(), "", 0)
        else if (options.all === true) callback(null, allowed)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, "", 0)
    )
  }

export const makeConnector = (options: {
  readonly allowPrivate: boolean
  readonly timeoutMs: number
  readonly resolve: Resolve
}): buildConnector.connector => {
  const isAllowed = options.allowPrivate ? () => true : isPublicAddress
  const connect = buildConnector({
    timeout: options.timeoutMs,
    // Over HTTP/2 a receiver could send without limit, and requests cost more CPU: docs/decisions/0015-http2.md.
    allowH2: false,
    lookup: lookupBy(options.resolve, isAllowed)
  })
  return (target, callback) => {
    // `lookup` is not called for IP literals.
    const literal = literalAddress(target.hostname)
    if (literal !== undefined && !isAllowed(literal)) return callback(new AddressNotAllowed(), null)
    connect(target, callback)
  }
}
