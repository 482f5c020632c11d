/** Who may use how many connections: bounds that hold whatever comes, and some for whoever comes last. */
import { assert, describe, it } from "@effect/vitest"
import { Limits } from "../../src/config/Limits.ts"
import { makeShares, type Share } from "../../src/deliver/ConnectionShares.ts"
import { makeSeededRandom } from "../../src/simulator/SeededRandom.ts"

const ORIGIN = "https://shared.example"
const bounds = { perOrigin: 1_024, inProcess: 8_192, ...Limits.connectionShares }

/** A webhook that takes what it gets, up to its window, at once and whenever it is woken. */
const makeHog = (
  shares: ReturnType<typeof makeShares>,
  window: number,
  accountId = "acct_1",
  origin = ORIGIN
) => {
  const fill = () => {
    while (share.inUse < window) if (!shares.take(share)) return
  }
  const share: Share = shares.join(accountId, origin, fill)
  fill()
  return { share, fill }
}

/** As when requests that hang end one after the other: each webhook takes again what it may. */
const turnOver = (shares: ReturnType<typeof makeShares>, hogs: ReadonlyArray<ReturnType<typeof makeHog>>) => {
  for (let i = 0; i < 512; i++) {
    for (const { share, fill } of hogs) {
      if (share.inUse === 0) continue
      shares.release(share)
      fill()
    }
  }
}

const makeEight = (shares: ReturnType<typeof makeShares>, accountId?: string) =>
  Array.from({ length: 8 }, () => makeHog(shares, 256, accountId))

describe("shares of an origin's connections", () => {
  it("give a lone webhook its widest window", () =>
    assert.strictEqual(makeHog(makeShares(bounds), 256).share.inUse, 256))

  it("leave some at once beside eight of the same account that hang, and soon as many as each of them has", () => {
    const shares = makeShares(bounds)
    const hogs = makeEight(shares)
    const late = makeHog(shares, 256)
    assert.isAtLeast(late.share.inUse, 8)
    turnOver(shares, hogs)
    const most = Math.max(...hogs.map(({ share }) => share.inUse))
    assert.isAtLeast(late.share.inUse, 32)
    assert.isAtMost(most - late.share.inUse, 2)
  })

  it("leave as many as each has beside hundreds of the same account that hang, when their first requests end", () => {
    const shares = makeShares(bounds)
    const hogs = Array.from({ length: 200 }, () => makeHog(shares, 256))
    const late = makeHog(shares, 256)
    turnOver(shares, hogs)
    const most = Math.max(...hogs.map(({ share }) => share.inUse))
    assert.isAtLeast(late.share.inUse, 1)
    assert.isAtMost(most - late.share.inUse, 2)
  })

  it("leave more beside eight of another account", () => {
    const shares = makeShares(bounds)
    makeEight(shares, "acct_2")
    assert.isAtLeast(makeHog(shares, 256).share.inUse, 100)
  })

  it("never pass the bound, nor its half for an account with many webhooks; another account finds some", () => {
    const shares = makeShares(bounds)
    const hogs = Array.from({ length: 2_000 }, () => makeHog(shares, 256))
    const inUse = () => hogs.reduce((sum, { share }) => sum + share.inUse, 0)
    assert.strictEqual(inUse(), 512)
    assert.isAtLeast(makeHog(shares, 256, "acct_2").share.inUse, Limits.connectionShares.least)
    for (let i = 0; i < 200; i++) hogs.push(makeHog(shares, 256, `acct_${3 + i}`))
    assert.isAtMost(inUse(), bounds.perOrigin)
  })

  it("go to webhooks that wait in turn, when an account has more of them than connections", () => {
    const shares = makeShares({ ...bounds, perOrigin: 64, inProcess: 1_000 })
    const turns = new Map<Share, number>()
    const hogs = Array.from({ length: 100 }, () => {
      const share: Share = shares.join("acct_1", ORIGIN, () => {
        if (shares.take(share)) turns.set(share, (turns.get(share) ?? 0) + 1)
        if (shares.take(share)) turns.set(share, (turns.get(share) ?? 0) + 1)
      })
      while (shares.take(share)) turns.set(share, 1)
      return share
    })
    for (let round = 0; round < 1_000; round++) {
      const busy = hogs.filter(({ inUse }) => inUse > 0)
      shares.release(busy[round % busy.length]!)
    }
    assert.isTrue(hogs.every((share) => turns.has(share)))
  })

  it("are bounded in the process, too, and wake whoever waits for that", () => {
    const shares = makeShares({ ...bounds, perOrigin: 1_024, inProcess: 100 })
    const hogs = Array.from({ length: 150 }, (_, i) =>
      makeHog(shares, 256, `acct_${i}`, `https://${i}.example`)
    )
    const without = hogs.filter(({ share }) => share.inUse === 0)
    assert.isAbove(without.length, 0)
    assert.strictEqual(
      hogs.reduce((sum, { share }) => sum + share.inUse, 0),
      100
    )
    for (const { share } of hogs) if (!without.some((one) => one.share === share)) shares.release(share)
    assert.isTrue(without.some(({ share }) => share.inUse > 0))
  })

  it("lose no wake-up to one that takes none", () => {
    const shares = makeShares({ ...bounds, perOrigin: 1, inProcess: 10 })
    const first = shares.join("acct_1", ORIGIN, () => {})
    assert.isTrue(shares.take(first))
    const idle = shares.join("acct_2", ORIGIN, () => {})
    assert.isFalse(shares.take(idle))
    const hog = makeHog(shares, 1, "acct_3")
    assert.strictEqual(hog.share.inUse, 0)
    shares.release(first)
    assert.strictEqual(hog.share.inUse, 1)
  })

  it("are free again when their webhooks have left and their requests have ended", () => {
    const shares = makeShares({ ...bounds, perOrigin: 4, inProcess: 4 })
    const one = makeHog(shares, 256)
    const waiting = makeHog(shares, 256, "acct_2")
    const used = one.share.inUse
    assert.isAbove(used, 0)
    shares.leave(one.share)
    for (let i = 0; i < used; i++) shares.release(one.share)
    shares.leave(waiting.share)
    while (waiting.share.inUse > 0) shares.release(waiting.share)
    assert.strictEqual(makeHog(shares, 256).share.inUse, used)
  })

  it("reach everybody, whoever takes and releases when", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const chance = makeSeededRandom(seed)
      const shares = makeShares({
        ...bounds,
        perOrigin: 1 + chance.int(0, 40),
        inProcess: 1 + chance.int(0, 80)
      })
      /** Requests that each still has to make. */
      const webhooks = Array.from({ length: 60 }, (_, i) => {
        let left = 5
        const fill = () => {
          while (left > 0 && shares.take(share)) left--
        }
        const share: Share = shares.join(`acct_${i % 7}`, `https://${i % 3}.example`, fill)
        return { share, fill, left: () => left }
      })
      for (const { fill } of webhooks) fill()
      for (;;) {
        const busy = webhooks.filter(({ share }) => share.inUse > 0)
        if (busy.length === 0) break
        shares.release(busy[chance.int(0, busy.length - 1)]!.share)
      }
      assert.isTrue(
        webhooks.every(({ left }) => left() === 0),
        `seed ${seed}`
      )
    }
  })
})
