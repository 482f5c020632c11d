/**
 * Opens a TCP connection as RFC 8305 ("Happy Eyeballs") describes: while an address has not answered for 250 ms, or
 * when it has failed, the next one is tried too, and the first that connects is used. Node's own connector gives an
 * address up when it tries the next, so it never reaches a distant host whose other address is dead. Only addresses
 * that the caller allows are tried. A name is resolved once: an answer that changes later has no effect.
 */

import { connect, isIP, type Socket } from "node:net"
import { Effect, Exit, Latch } from "effect"
import { literalAddress } from "../domain/AddressGuard.ts"
import { netLimits } from "./Limits.ts"
import type { Address, Resolve } from "./Resolver.ts"

/** Addresses of a host that are tried for one connection. */
const ADDRESSES_TRIED = 8

/** How long an address has before the next one of its host is tried too (RFC 8305, section 5). */
export const TRY_MS = 250

/** None of the host's addresses may be used. */
class AddressNotAllowed extends Error {
  readonly code = "ADDRESS_NOT_ALLOWED"
}

class ConnectTimeout extends Error {
  readonly code = "ETIMEDOUT"
}

/** Ends an attempt to connect. */
export const within =
  (timeoutMs: number) =>
  <A>(connecting: Effect.Effect<A, Error>): Effect.Effect<A, Error> =>
    Effect.timeoutOrElse(connecting, {
      duration: timeoutMs,
      orElse: () => Effect.fail(new ConnectTimeout(`no connection within ${timeoutMs} ms`))
    })

export interface ConnectOptions {
  readonly resolve: Resolve
  readonly isAllowed: (address: string) => boolean
}

type Try = Effect.Effect<Socket, Error>

/** Tries of this process beyond the first one of their connection. */
let extraTries = 0

const tryAddress = (address: string, port: number, opened: Set<Socket>): Try =>
  Effect.callback((resume) => {
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true })
    opened.add(socket)
    // This listener stays, because an error that nobody listens to would end the process.
    socket.on("error", (error) => resume(Effect.fail(error)))
    socket.once("connect", () => resume(Effect.succeed(socket)))
  })

/** IPv4 and IPv6 in turns, so that a family without a route costs one try. Every machine has IPv4. */
const alternating = (addresses: ReadonlyArray<Address>): ReadonlyArray<Address> => {
  const ofFamily = (wanted: number) => addresses.filter(({ family }) => family === wanted)
  const [four, six] = [ofFamily(4), ofFamily(6)]
  return addresses.flatMap((_, i) => [...four.slice(i, i + 1), ...six.slice(i, i + 1)])
}

/** Fails with the error of the try that failed first, once all have failed. */
const firstOf = ([first, ...others]: ReadonlyArray<Try>, last?: Try): Try => {
  const next = others.length > 0 ? firstOf(others, last) : last
  if (first === undefined) return next ?? Effect.fail(new AddressNotAllowed())
  if (next === undefined) return first
  return Effect.suspend(() => {
    const failed = Latch.makeUnsafe()
    const overdue = Effect.repeat(Effect.sleep(TRY_MS), {
      until: () => extraTries < netLimits.connectExtraTries
    })
    const counted = Effect.acquireUseRelease(
      Effect.sync(() => extraTries++),
      () => next,
      () => Effect.sync(() => extraTries--)
    )
    return Effect.race(
      Effect.tapError(first, () => Latch.open(failed)),
      Effect.andThen(Effect.raceFirst(Latch.await(failed), overdue), counted)
    )
  })
}

/** `hostname`: a name or an IP address, as in a URL. Errors are those of Node, with their codes. */
export const connectTcp = (
  hostname: string,
  port: number,
  { isAllowed, resolve }: ConnectOptions
): Effect.Effect<Socket, Error> =>
  Effect.suspend(() => {
    const opened = new Set<Socket>()
    const triesOf = (addresses: ReadonlyArray<Address>) =>
      alternating(addresses.filter(({ address }) => isAllowed(address)))
        .slice(0, ADDRESSES_TRIED)
        .map(({ address }) => tryAddress(address, port, opened))
    const byName = Effect.gen(function* () {
      // Node and c-ares throw errors only.
      const found = yield* Effect.tryPromise({
        try: () => resolve(hostname),
        catch: (error) => error as Error
      })
      const { addresses, later } = found
      if (later === undefined) return yield* firstOf(triesOf(addresses))
      const [known] = addresses
      const others = Effect.flatMap(
        Effect.promise(() => later),
        (all) => firstOf(triesOf(all.addresses.filter(({ family }) => family !== known?.family)))
      )
      return yield* firstOf(triesOf(addresses), others)
    })
    const literal = literalAddress(hostname)
    const connecting =
      literal === undefined ? byName : firstOf(triesOf([{ address: literal, family: isIP(literal) }]))
    return Effect.onExit(connecting, (exit) =>
      Effect.sync(() => {
        const used = Exit.isSuccess(exit) ? exit.value : undefined
        for (const socket of opened) if (socket !== used) socket.destroy()
      })
    )
  })
