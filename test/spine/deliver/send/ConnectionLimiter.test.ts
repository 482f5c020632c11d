/** The connection limiter keeps its bounds, and a webhook that comes late gets connections. */
import { assert, describe, it } from "@effect/vitest"
import { makeSeededRandom } from "../../../../src/features/simulator/SeededRandom.ts"
import { makeLimiter, type Share } from "../../../../src/spine/deliver/send/ConnectionLimiter.ts"

const ORIGIN = "https://shared.example"
const bounds = { perOrigin: 1_024, inProcess: 8_192 }

/** A webhook that takes all connections it may, up to its window, at once and whenever it is woken. */
const makeHog = (
  limiter: ReturnType<typeof makeLimiter>,
  window: number,
  accountId = "acct_1",
  origin = ORIGIN
) => {
  const fill = () => {
    while (share.inUse < window) if (!limiter.take(share)) return
  }
  const share: Share = limiter.join(accountId, origin, fill)
  fill()
  return { share, fill }
}

/** Ends hanging requests one after the other. Each webhook then takes the connections that it may. */
const turnOver = (
  limiter: ReturnType<typeof makeLimiter>,
  hogs: ReadonlyArray<ReturnType<typeof makeHog>>
) => {
  for (let i = 0; i < 512; i++) {
    for (const { share, fill } of hogs) {
      if (share.inUse === 0) continue
      limiter.release(share)
      fill()
    }
  }
}

const makeEight = (limiter: ReturnType<typeof makeLimiter>, accountId?: string) =>
  Array.from({ length: 8 }, () => makeHog(limiter, 256, accountId))

describe("shares of an origin's connections", () => {
  it("give a lone webhook its widest window", () =>
    assert.strictEqual(makeHog(makeLimiter(bounds), 256).share.inUse, 256))

  it("leave some to a late webhook when eight of its account hang, and an equal part once requests end", () => {
    const limiter = makeLimiter(bounds)
    const hogs = makeEight(limiter)
    const late = makeHog(limiter, 256)
    assert.isAtLeast(late.share.inUse, 4)
    turnOver(limiter, hogs)
    const most = Math.max(...hogs.map(({ share }) => share.inUse))
    assert.isAtLeast(late.share.inUse, 32)
    assert.isAtMost(most - late.share.inUse, 2)
  })

  it("leave an equal part to a late webhook when hundreds of its account hang, once their first requests end", () => {
    const limiter = makeLimiter(bounds)
    const hogs = Array.from({ length: 200 }, () => makeHog(limiter, 256))
    const late = makeHog(limiter, 256)
    turnOver(limiter, hogs)
    const most = Math.max(...hogs.map(({ share }) => share.inUse))
    assert.isAtLeast(late.share.inUse, 1)
    assert.isAtMost(most - late.share.inUse, 2)
  })

  it("leave more to a late webhook when the eight that hang belong to another account", () => {
    const limiter = makeLimiter(bounds)
    makeEight(limiter, "acct_2")
    assert.isAtLeast(makeHog(limiter, 256).share.inUse, 100)
  })

  it("never exceed the bound, or half of it for an account with many webhooks", () => {
    const limiter = makeLimiter(bounds)
    const hogs = Array.from({ length: 2_000 }, () => makeHog(limiter, 256))
    const inUse = () => hogs.reduce((sum, { share }) => sum + share.inUse, 0)
    assert.strictEqual(inUse(), 512)
    assert.isAtLeast(makeHog(limiter, 256, "acct_2").share.inUse, 16)
    for (let i = 0; i < 200; i++) hogs.push(makeHog(limiter, 256, `acct_${3 + i}`))
    assert.isAtMost(inUse(), bounds.perOrigin)
  })

  it("are passed round when an account has more waiting webhooks than connections", () => {
    const limiter = makeLimiter({ ...bounds, perOrigin: 64, inProcess: 1_000 })
    const turns = new Map<Share, number>()
    const hogs = Array.from({ length: 100 }, () => {
      const share: Share = limiter.join("acct_1", ORIGIN, () => {
        if (limiter.take(share)) turns.set(share, (turns.get(share) ?? 0) + 1)
        if (limiter.take(share)) turns.set(share, (turns.get(share) ?? 0) + 1)
      })
      while (limiter.take(share)) turns.set(share, 1)
      return share
    })
    for (let round = 0; round < 1_000; round++) {
      const busy = hogs.filter(({ inUse }) => inUse > 0)
      limiter.release(busy[round % busy.length]!)
    }
    assert.isTrue(hogs.every((share) => turns.has(share)))
  })

  it("are bounded in the process too, and a release wakes a webhook that waits for that bound", () => {
    const limiter = makeLimiter({ ...bounds, perOrigin: 1_024, inProcess: 100 })
    const hogs = Array.from({ length: 150 }, (_, i) =>
      makeHog(limiter, 256, `acct_${i}`, `https://${i}.example`)
    )
    const without = hogs.filter(({ share }) => share.inUse === 0)
    assert.isAbove(without.length, 0)
    assert.strictEqual(
      hogs.reduce((sum, { share }) => sum + share.inUse, 0),
      100
    )
    for (const { share } of hogs) if (!without.some((one) => one.share === share)) limiter.release(share)
    assert.isTrue(without.some(({ share }) => share.inUse > 0))
  })

  it("wake the next webhook if the first one takes no connection", () => {
    const limiter = makeLimiter({ ...bounds, perOrigin: 1, inProcess: 10 })
    const first = limiter.join("acct_1", ORIGIN, () => {})
    assert.isTrue(limiter.take(first))
    const idle = limiter.join("acct_2", ORIGIN, () => {})
    assert.isFalse(limiter.take(idle))
    const hog = makeHog(limiter, 1, "acct_3")
    assert.strictEqual(hog.share.inUse, 0)
    limiter.release(first)
    assert.strictEqual(hog.share.inUse, 1)
  })

  it("come to a late account after one turn of the accounts that wait, however many webhooks these have", () => {
    const ACCOUNTS = 50
    const limiter = makeLimiter({ ...bounds, inProcess: 10 })
    const hogs = Array.from({ length: 40 * ACCOUNTS }, (_, i) =>
      makeHog(limiter, 1, `acct_${i % ACCOUNTS}`, `https://${i}.example`)
    )
    const late = makeHog(limiter, 1, "acct_late", "https://late.example")
    assert.strictEqual(late.share.inUse, 0)
    let releases = 0
    for (; late.share.inUse === 0; releases++)
      limiter.release(hogs.find(({ share }) => share.inUse > 0)!.share)
    assert.isAtMost(releases, ACCOUNTS + 1)
  })

  it("are free when their webhooks have left and their requests have ended", () => {
    const limiter = makeLimiter({ ...bounds, perOrigin: 4, inProcess: 4 })
    const one = makeHog(limiter, 256)
    const waiting = makeHog(limiter, 256, "acct_2")
    const used = one.share.inUse
    assert.isAbove(used, 0)
    limiter.leave(one.share)
    for (let i = 0; i < used; i++) limiter.release(one.share)
    limiter.leave(waiting.share)
    while (waiting.share.inUse > 0) limiter.release(waiting.share)
    assert.strictEqual(makeHog(limiter, 256).share.inUse, used)
  })

  it("reach every webhook in a random order of takes and releases", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const chance = makeSeededRandom(seed)
      const limiter = makeLimiter({
        ...bounds,
        perOrigin: 1 + chance.int(0, 40),
        inProcess: 1 + chance.int(0, 80)
      })
      /** How many requests each webhook still has to make. */
      const webhooks = Array.from({ length: 60 }, (_, i) => {
        let left = 5
        const fill = () => {
          while (left > 0 && limiter.take(share)) left--
        }
        const share: Share = limiter.join(`acct_${i % 7}`, `https://${i % 3}.example`, fill)
        return { share, fill, left: () => left }
      })
      for (const { fill } of webhooks) fill()
      for (;;) {
        const busy = webhooks.filter(({ share }) => share.inUse > 0)
        if (busy.length === 0) break
        limiter.release(busy[chance.int(0, busy.length - 1)]!.share)
      }
      assert.isTrue(
        webhooks.every(({ left }) => left() === 0),
        `seed ${seed}`
      )
    }
  })

  // With a cost that grows with the number of those that wait, this would take minutes.
  it("reach 100,000 webhooks of an account within the time limit of a test", () => {
    const limiter = makeLimiter({ ...bounds, inProcess: 1_000 })
    const running: Array<Share> = []
    let ended = 0
    for (let i = 0; i < 100_000; i++) {
      const share: Share = limiter.join("acct_1", `https://${i}.example`, () => {
        if (limiter.take(share)) running.push(share)
      })
      if (limiter.take(share)) running.push(share)
    }
    for (let share = running.pop(); share !== undefined; share = running.pop()) {
      ended++
      limiter.release(share)
      limiter.leave(share)
    }
    assert.strictEqual(ended, 100_000)
  })
})
