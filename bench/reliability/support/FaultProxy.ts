/**
 * A TCP proxy on 127.0.0.1 that breaks connections on purpose. `cut` ends all connections and refuses new ones;
 * `delay` passes every chunk later; `half-open` passes nothing, and neither end notices. When that ends, its
 * connections are reset, as a network that has come back does with connections that it has forgotten.
 */
import * as net from "node:net"
import { Effect, type Scope } from "effect"

export type FaultMode =
  | { readonly kind: "pass" }
  | { readonly kind: "cut" }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "half-open" }

export interface FaultProxy {
  readonly port: number
  readonly set: (mode: FaultMode) => void
}

interface Pair {
  readonly client: net.Socket
  readonly server: net.Socket
  /** Nothing passes any more, in both directions. */
  silent: boolean
}

/** Where a chunk may still be on its way, later chunks queue behind it, so that no byte overtakes another. */
const forward = (from: net.Socket, to: net.Socket, pair: Pair, delayMs: () => number) => {
  const waiting: Array<Buffer> = []
  const write = (chunk: Buffer) => {
    if (pair.silent || to.destroyed || to.write(chunk)) return
    from.pause()
    to.once("drain", () => from.resume())
  }
  from.on("data", (chunk: Buffer) => {
    if (pair.silent) return
    const ms = delayMs()
    if (ms === 0 && waiting.length === 0) return write(chunk)
    waiting.push(chunk)
    Effect.runFork(
      Effect.andThen(
        Effect.sleep(ms),
        Effect.sync(() => write(waiting.shift()!))
      )
    )
  })
  from.on("error", () => from.destroy())
  from.on("close", () => {
    if (!pair.silent) to.destroy()
  })
}

/** Starts the proxy; it stops when the scope closes. The target may be down meanwhile. */
export const startProxy = (target: net.NetConnectOpts): Effect.Effect<FaultProxy, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pairs = new Set<Pair>()
    let mode: FaultMode = { kind: "pass" }
    const end = ({ client, server }: Pair) => {
      client.destroy()
      server.destroy()
    }
    const reset = ({ client, server }: Pair) => {
      client.resetAndDestroy()
      // It may be a Unix socket, which knows no reset.
      server.destroy()
    }
    // The proxy must cost no time of its own: without this the end of a long answer waits 40 ms.
    const listener = net.createServer({ noDelay: true }, (client) => {
      if (mode.kind === "cut") return void client.destroy()
      const pair: Pair = {
        client,
        server: net.connect({ ...target, noDelay: true }),
        silent: mode.kind === "half-open"
      }
      pairs.add(pair)
      pair.client.once("close", () => {
        pairs.delete(pair)
        pair.server.destroy()
      })
      const delayMs = () => (mode.kind === "delay" ? mode.ms : 0)
      forward(pair.client, pair.server, pair, delayMs)
      forward(pair.server, pair.client, pair, delayMs)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void listener.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          for (const pair of pairs) end(pair)
          listener.close()
        })
    )
    return {
      // The listener listens on TCP, so its address is not the name of a pipe.
      port: (listener.address() as net.AddressInfo).port,
      set: (next) => {
        mode = next
        if (next.kind !== "half-open") for (const pair of pairs) if (pair.silent) reset(pair)
        if (next.kind === "cut") for (const pair of pairs) end(pair)
        if (next.kind === "half-open") for (const pair of pairs) pair.silent = true
      }
    }
  })
