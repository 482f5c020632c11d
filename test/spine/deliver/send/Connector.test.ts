/** Real connections: never to an address that is not public, whatever a URL or a resolver says. */
import { isIP } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Sender } from "../../../../src/spine/deliver/send/Sender.ts"
import { type Resolve, Resolver } from "../../../../src/spine/net/Resolver.ts"
import { attemptAt, send, sendBy, senderWith, tcpServer } from "../../../support/deliver/sending.ts"

describe("the address really connected to", () => {
  const guarded = { DELIVERY_ALLOW_PRIVATE_ADDRESSES: "false" }
  /** A public address by the rules, which nobody uses: the 6bone's space was given back. */
  const NOBODY = "3ffe::1"

  /** A server on this machine and the connections it has had. */
  const privateServer = Effect.gen(function* () {
    const seen = { connections: 0 }
    const port = yield* tcpServer((socket) => {
      seen.connections++
      socket.destroy()
    })
    return { port, seen }
  })

  /**
   * A sender whose resolver returns the lists of addresses in order, then always the last one. It serves one use.
   */
  const sendResolving = (url: string, ...answers: ReadonlyArray<ReadonlyArray<string>>) =>
    Effect.gen(function* () {
      let asked = 0
      const resolve: Resolve = async () => ({
        addresses: answers[Math.min(asked++, answers.length - 1)]!.map((address) => ({
          address,
          family: isIP(address)
        })),
        ttlMs: 0
      })
      const context = yield* Layer.build(senderWith(guarded)).pipe(Effect.provideService(Resolver, resolve))
      const sender = Context.get(context, Sender)
      return { attempt: sendBy(sender, url), asked: () => asked }
    })

  it.live("is never private, whether given by name or as a literal in any spelling", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      for (const host of [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "0",
        "localhost",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]"
      ]) {
        const outcome = yield* send(`http://${host}:${port}/`, guarded)
        assert.deepInclude(outcome, { delivered: false, error: "address not allowed" }, host)
        const overTls = yield* send(`https://${host}:${port}/`, guarded)
        assert.deepInclude(overTls, { delivered: false, error: "address not allowed" }, host)
      }
      assert.strictEqual(seen.connections, 0)
    })
  )

  it.live("is not where a redirect points", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      for (const status of [301, 302, 303, 307, 308]) {
        const outcome = yield* attemptAt((_, response) => {
          response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end()
          return "handled"
        })
        assert.deepInclude(outcome, {
          delivered: false,
          responseStatus: status,
          error: `redirect not followed (HTTP ${status})`
        })
      }
      assert.strictEqual(seen.connections, 0)
    })
  )

  it.live("is the public one if a name has both kinds", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      for (const addresses of [
        ["127.0.0.1", NOBODY],
        [NOBODY, "127.0.0.1"],
        [NOBODY, "::ffff:127.0.0.1", "127.0.0.1", "::1"]
      ]) {
        const { attempt } = yield* sendResolving(`http://mixed.example:${port}/`, addresses)
        const outcome = yield* attempt
        assert.isFalse(outcome.delivered)
        // The sender tried to connect to the public address.
        assert.notStrictEqual(outcome.error, "address not allowed")
      }
      assert.strictEqual(seen.connections, 0)
    })
  )

  it.live("is the one that was checked, even if the DNS answer changes before connecting", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      const url = `http://rebinding.example:${port}/`
      const { attempt, asked } = yield* sendResolving(url, [NOBODY], ["127.0.0.1"])
      const first = yield* attempt
      assert.notStrictEqual(first.error, "address not allowed")
      // The name is resolved once for each attempt, so there is no second answer.
      assert.strictEqual(asked(), 1)
      assert.deepInclude(yield* attempt, { delivered: false, error: "address not allowed" })
      assert.strictEqual(asked(), 2)
      assert.strictEqual(seen.connections, 0)
    })
  )

  it.live("is refused when a name has private addresses only", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      for (const address of ["127.0.0.1", "::1", "::ffff:7f00:1", "169.254.169.254", "10.0.0.1", "fd00::1"]) {
        const { attempt } = yield* sendResolving(`https://private.example:${port}/`, [address])
        assert.deepInclude(yield* attempt, { delivered: false, error: "address not allowed" }, address)
      }
      assert.strictEqual(seen.connections, 0)
    })
  )
})
