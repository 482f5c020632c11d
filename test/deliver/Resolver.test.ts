/** What is remembered of names, with answers and a clock of the test's own; and what the system itself knows. */
import { assert, describe, it } from "@effect/vitest"
import { type Addresses, type Resolve, Resolver, remembering } from "../../src/deliver/Resolver.ts"

const answer = (address: string, ttlMs?: number): Addresses => ({
  addresses: [{ address, family: 4 }],
  ttlMs
})

/** A memory over `answers`, given one after the other. */
const rememberingOf = (...answers: ReadonlyArray<Addresses | Error>) => {
  const asked: Array<string> = []
  const clock = { nowMs: 0 }
  const resolve: Resolve = async (hostname) => {
    const next = answers[asked.length]!
    asked.push(hostname)
    if (next instanceof Error) throw next
    return next
  }
  return { asked, clock, resolve: remembering(resolve, () => clock.nowMs) }
}

describe("a name's addresses", () => {
  it("are asked for again when their time to live is over, and after a minute at the latest", async () => {
    const { asked, clock, resolve } = rememberingOf(
      answer("192.0.2.1", 30_000),
      answer("192.0.2.2", 3_600_000),
      answer("192.0.2.3")
    )
    assert.strictEqual((await resolve("a.example")).addresses[0]?.address, "192.0.2.1")
    clock.nowMs = 29_999
    assert.strictEqual((await resolve("a.example")).addresses[0]?.address, "192.0.2.1")
    clock.nowMs = 30_000
    assert.strictEqual((await resolve("a.example")).addresses[0]?.address, "192.0.2.2")
    clock.nowMs = 89_999
    await resolve("a.example")
    assert.strictEqual(asked.length, 2)
    clock.nowMs = 90_000
    assert.strictEqual((await resolve("a.example")).addresses[0]?.address, "192.0.2.3")
  })

  it("that come without a time to live are used for seconds", async () => {
    const { asked, clock, resolve } = rememberingOf(answer("192.0.2.1"), answer("192.0.2.2"))
    await resolve("a.example")
    clock.nowMs = 4_999
    await resolve("a.example")
    assert.strictEqual(asked.length, 1)
    clock.nowMs = 5_000
    assert.strictEqual((await resolve("a.example")).addresses[0]?.address, "192.0.2.2")
  })

  it("are asked for once, however many wait for them, and for each name", async () => {
    const { asked, resolve } = rememberingOf(answer("192.0.2.1", 0), answer("192.0.2.2", 0))
    const [first, second, other] = await Promise.all(["a.example", "a.example", "b.example"].map(resolve))
    assert.deepStrictEqual(asked, ["a.example", "b.example"])
    assert.strictEqual(first, second)
    assert.notStrictEqual(first, other)
  })

  it("that could not be had are asked for again after a second", async () => {
    const { asked, clock, resolve } = rememberingOf(new Error("no answer"), answer("192.0.2.1", 1_000))
    const failing = () =>
      resolve("a.example").then(
        () => false,
        () => true
      )
    assert.deepStrictEqual(await Promise.all([failing(), failing()]), [true, true])
    clock.nowMs = 999
    assert.isTrue(await failing())
    assert.strictEqual(asked.length, 1)
    clock.nowMs = 1_000
    assert.isFalse(await failing())
  })

  it("are the system's where it has its own: local names", async () => {
    const { addresses, ttlMs } = await Resolver.defaultValue()("localhost")
    assert.includeMembers(
      ["127.0.0.1", "::1"],
      addresses.map(({ address }) => address)
    )
    assert.strictEqual(ttlMs, undefined)
  })
})
