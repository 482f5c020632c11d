/** The cache of addresses, on a clock of the test; the system's own names; a real DNS server over UDP. */
import { Resolver as DnsClient } from "node:dns/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Addresses,
  type Resolve,
  Resolver,
  remembering,
  resolvingBy,
  TRIES
} from "../../../src/spine/net/Resolver.ts"
import { makeDnsServer, type Zone } from "./dnsServer.ts"

const answer = (address: string, ttlMs?: number): Addresses => ({
  addresses: [{ address, family: 4 }],
  ttlMs
})

/** A cache over `answers`, which are returned one after the other. */
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
  it("are resolved again when their time to live is over, and after a minute at the latest", async () => {
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

  it("without a time to live are used for a few seconds", async () => {
    const { asked, clock, resolve } = rememberingOf(answer("192.0.2.1"), answer("192.0.2.2"))
    await resolve("a.example")
    clock.nowMs = 4_999
    await resolve("a.example")
    assert.strictEqual(asked.length, 1)
    clock.nowMs = 5_000
    assert.strictEqual((await resolve("a.example")).addresses[0]?.address, "192.0.2.2")
  })

  it("are resolved once for concurrent requests, separately for each name", async () => {
    const { asked, resolve } = rememberingOf(answer("192.0.2.1", 0), answer("192.0.2.2", 0))
    const [first, second, other] = await Promise.all(["a.example", "a.example", "b.example"].map(resolve))
    assert.deepStrictEqual(asked, ["a.example", "b.example"])
    assert.strictEqual(first, second)
    assert.notStrictEqual(first, other)
  })

  it("are resolved again a second after a failure", async () => {
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

  it("come from the system for local names", async () => {
    const { addresses, ttlMs } = await Resolver.defaultValue()("localhost")
    assert.includeMembers(
      ["127.0.0.1", "::1"],
      addresses.map(({ address }) => address)
    )
    assert.strictEqual(ttlMs, undefined)
  })
})

const TRY_MS = 300
const FROM_THE_SYSTEM: Addresses = { addresses: [{ address: "192.0.2.99", family: 4 }], ttlMs: undefined }

/** Resolves with a DNS server that has this zone. The system's resolver gives a different answer. */
const resolvingFrom = Effect.fnUntraced(function* (zone: Zone) {
  const { address, asked, release } = yield* makeDnsServer(zone)
  let clients = 0
  const makeClient = () => {
    clients++
    const client = new DnsClient({ timeout: TRY_MS, tries: 1 })
    client.setServers([address])
    return client
  }
  const resolve = resolvingBy(makeClient, async () => FROM_THE_SYSTEM)
  return {
    asked,
    release,
    resolve,
    clients: () => clients,
    resolved: (name: string) => Effect.promise(() => resolve(name))
  }
})

describe("DNS", () => {
  it.live("returns both kinds of address, IPv4 first, with the shortest time to live", () =>
    Effect.gen(function* () {
      const { resolved, asked } = yield* resolvingFrom({
        "a.example.com": { 4: { "192.0.2.1": 300, "192.0.2.2": 300 }, 6: { "2001:db8::1": 20 } }
      })
      const { addresses, ttlMs } = yield* resolved("a.example.com")
      assert.sameDeepMembers(
        [...addresses],
        [
          { address: "192.0.2.1", family: 4 },
          { address: "192.0.2.2", family: 4 },
          { address: "2001:db8::1", family: 6 }
        ]
      )
      assert.deepStrictEqual(
        addresses.map(({ family }) => family),
        [4, 4, 6]
      )
      assert.strictEqual(ttlMs, 20_000)
      assert.deepStrictEqual(asked.toSorted(), ["a.example.com 4", "a.example.com 6"])
    }).pipe(Effect.scoped)
  )

  it.live("is asked again once the time to live is over", () =>
    Effect.gen(function* () {
      const zone: { [hostname: string]: { 4: Record<string, number> } } = {
        "short.example.com": { 4: { "192.0.2.1": 2 } },
        "long.example.com": { 4: { "192.0.2.1": 86_400 } }
      }
      const { resolve, asked } = yield* resolvingFrom(zone)
      const clock = { nowMs: 0 }
      const remembered = remembering(resolve, () => clock.nowMs)
      const first = (name: string) =>
        Effect.map(
          Effect.promise(() => remembered(name)),
          ({ addresses }) => addresses[0]?.address
        )
      for (const name of Object.keys(zone)) {
        assert.strictEqual(yield* first(name), "192.0.2.1")
        zone[name] = { 4: { "192.0.2.2": 2 } }
      }
      clock.nowMs = 1_999
      assert.strictEqual(yield* first("short.example.com"), "192.0.2.1")
      clock.nowMs = 2_000
      assert.strictEqual(yield* first("short.example.com"), "192.0.2.2")
      clock.nowMs = 59_999
      assert.strictEqual(yield* first("long.example.com"), "192.0.2.1")
      clock.nowMs = 60_000
      assert.strictEqual(yield* first("long.example.com"), "192.0.2.2")
      assert.strictEqual(asked.length, 8)
    }).pipe(Effect.scoped)
  )

  it.live("is enough with one kind of address if the other is missing", () =>
    Effect.gen(function* () {
      const { resolved } = yield* resolvingFrom({
        "four.example.com": { 4: { "192.0.2.1": 60 } },
        "six.example.com": { 6: { "2001:db8::1": 60 } }
      })
      assert.deepStrictEqual((yield* resolved("four.example.com")).addresses, [
        { address: "192.0.2.1", family: 4 }
      ])
      assert.deepStrictEqual((yield* resolved("six.example.com")).addresses, [
        { address: "2001:db8::1", family: 6 }
      ])
    }).pipe(Effect.scoped)
  )

  it.live.each([
    { family: 4, answered: { 4: { "192.0.2.1": 60 }, 6: "silence" }, address: "192.0.2.1" },
    { family: 6, answered: { 6: { "2001:db8::1": 60 }, 4: "silence" }, address: "2001:db8::1" }
  ] as const)(
    "uses the answer for IPv$family if the other one does not come",
    ({ address, answered, family }) =>
      Effect.gen(function* () {
        const { resolved, asked } = yield* resolvingFrom({ "mixed.example.com": answered })
        const began = performance.now()
        const { addresses, later } = yield* resolved("mixed.example.com")
        assert.isBelow(performance.now() - began, TRY_MS / 2)
        assert.deepStrictEqual(addresses, [{ address, family }])
        assert.deepStrictEqual((yield* Effect.promise(() => later!)).addresses, addresses)
        assert.strictEqual(asked.length, 2)
      }).pipe(Effect.scoped)
  )

  it.live("adds an answer that comes later, also for the next lookups", () =>
    Effect.gen(function* () {
      const { release, resolve } = yield* resolvingFrom({
        "late.example.com": { 4: { "192.0.2.1": 60 }, 6: { "2001:db8::1": 60 }, late: 6 }
      })
      const remembered = remembering(resolve, () => 0)
      const first = yield* Effect.promise(() => remembered("late.example.com"))
      assert.deepStrictEqual(first.addresses, [{ address: "192.0.2.1", family: 4 }])
      release()
      const both = yield* Effect.promise(() => first.later!)
      assert.deepStrictEqual(
        both.addresses.map(({ family }) => family),
        [4, 6]
      )
      assert.strictEqual(yield* Effect.promise(() => remembered("late.example.com")), both)
    }).pipe(Effect.scoped)
  )

  it.live("leaves unknown names to the system", () =>
    Effect.gen(function* () {
      const { resolved, asked } = yield* resolvingFrom({})
      assert.deepStrictEqual(yield* resolved("unknown.example.com"), FROM_THE_SYSTEM)
      assert.isAtLeast(asked.length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("fails if a name has no address, or if no current server answers any try", () =>
    Effect.gen(function* () {
      const { resolve, asked, clients } = yield* resolvingFrom({
        "none.example.com": {},
        "silent.example.com": { 4: "silence", 6: "silence" }
      })
      const codeOf = (name: string) =>
        Effect.promise(() =>
          resolve(name).then(
            () => "none",
            ({ code }) => code
          )
        )
      assert.strictEqual(yield* codeOf("none.example.com"), "ENODATA")
      assert.strictEqual(clients(), 1)
      assert.strictEqual(yield* codeOf("silent.example.com"), "ETIMEOUT")
      assert.strictEqual(asked.filter((one) => one === "silent.example.com 4").length, TRIES)
      assert.strictEqual(clients(), 1 + TRIES)
    }).pipe(Effect.scoped)
  )
})
