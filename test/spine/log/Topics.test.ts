/** Topics from topics.json: names, retentions, and the same partitions as Kafka's default partitioner. */
import { assert, describe, it } from "@effect/vitest"
import {
  kindOf,
  longestRetention,
  murmur2,
  namesOf,
  partitionOf,
  partitionsOf,
  retentionOf
} from "../../../src/spine/log/Topics.ts"

const DAY_MS = 86_400_000
const settings = { retentionEventsMs: 30 * DAY_MS, retentionTransactionsMs: 3 * DAY_MS }

describe("topics", () => {
  it("hash keys as Kafka's clients do", () => {
    // These vectors are from Kafka's UtilsTest.testMurmur2.
    const vectors = {
      "21": -973_932_308,
      foobar: -790_332_482,
      "a-little-bit-long-string": -985_981_536,
      "a-little-bit-longer-string": -1_486_304_829,
      lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8: -58_897_971,
      abc: 479_470_107
    }
    for (const [text, hash] of Object.entries(vectors)) {
      assert.strictEqual(murmur2(new TextEncoder().encode(text)), hash)
    }
    assert.strictEqual(partitionOf("webhooks.deliveries", "foobar"), (-790_332_482 & 0x7fff_ffff) % 24)
  })

  it("resolve patterns, and throw for an unknown topic, naming it", () => {
    assert.strictEqual(partitionsOf("xrpl.testnet.events"), 1)
    assert.strictEqual(partitionsOf("webhooks.delay.10"), 6)
    for (const topic of ["xrpl.events", "xrpl.testnet.events.more", "webhooks.delay.", "webhooks-config"]) {
      assert.throws(() => partitionsOf(topic), topic)
    }
  })

  it("keep records as long as their entry or the setting says", () => {
    assert.strictEqual(retentionOf("xrpl.mainnet.events", settings), settings.retentionEventsMs)
    assert.strictEqual(retentionOf("xrpl.mainnet.transactions", settings), settings.retentionTransactionsMs)
    assert.strictEqual(retentionOf("webhooks.deliveries", settings), 7 * DAY_MS)
    assert.strictEqual(retentionOf("webhooks.config", settings), null)
    assert.deepStrictEqual(["xrpl.mainnet.ledgers", "webhooks.delay.2", "webhooks.config"].map(kindOf), [
      "history",
      "work",
      "compacted"
    ])
    assert.strictEqual(longestRetention("work", settings), 8 * DAY_MS)
    for (const topic of namesOf(["testnet"]).filter((name) => kindOf(name) !== "compacted"))
      assert.isAbove(retentionOf(topic, settings)!, 0, topic)
  })
})
