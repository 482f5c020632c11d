/**
 * Connections to receivers. Each goes to an address that was checked, names and literals alike: the socket connects to
 * the very addresses that passed and asks no second time, so that an answer that changes after the check changes nothing.
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
    // Measured with undici 8.12 over TLS to a local server that offers both, HTTP/2 had 0.4 to 0.9 of HTTP/1.1's rate at
    // 1, 16 and 64 requests at once, and needed up to twice the CPU.
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
