/** The plan finds every difference of a cluster's topics, marks those that would lose data, and describes each. */
import { assert, describe, it } from "@effect/vitest"
import {
  planTopics,
  sentenceOf,
  type TopicState,
  wantedTopics
} from "../../../../src/spine/log/kafka/TopicPlan.ts"

const DAY_MS = 86_400_000
const service = {
  rawTransactions: false,
  retentionEventsMs: 400 * DAY_MS,
  retentionTransactionsMs: 3 * DAY_MS
}

const kept = (over: Partial<TopicState> = {}): TopicState => ({
  name: "work",
  partitions: 24,
  replication: 3,
  settings: { "cleanup.policy": "delete", "retention.ms": "1000" },
  ...over
})
const settings = (cleanup: string, retentionMs: string) => ({
  settings: { "cleanup.policy": cleanup, "retention.ms": retentionMs }
})

const inSync = (copies: string) => ({ settings: { "min.insync.replicas": copies } })

const cases: ReadonlyArray<
  readonly [found: TopicState | undefined, wanted: TopicState, risk: string | undefined, sentence: RegExp]
> = [
  [undefined, kept(), "none", /^topic work is created with 24 partitions$/],
  [kept(), kept(), undefined, /never/],
  [
    kept({ partitions: 12 }),
    kept(),
    "losing",
    /^topic work: partitions 12 → 24: keys would move to other partitions, /
  ],
  [kept({ partitions: 48 }), kept(), "impossible", /partitions 48 → 24: Kafka cannot remove partitions$/],
  [
    kept({ replication: 1 }),
    kept(),
    "impossible",
    /copies of each partition 1 → 3: kafka-reassign-partitions/
  ],
  [kept({ replication: 5 }), kept(), undefined, /never/],
  [kept(settings("delete", "500")), kept(), "none", /^topic work: retention\.ms 500 → 1000$/],
  [
    kept(settings("delete", "2000")),
    kept(),
    "losing",
    /retention\.ms 2000 → 1000: older records would be deleted$/
  ],
  [kept(settings("delete", "-1")), kept(), "losing", /retention\.ms -1 → 1000: older records/],
  [kept(), kept(settings("delete", "-1")), "none", /retention\.ms 1000 → -1$/],
  [
    kept(),
    kept(settings("compact", "1000")),
    "losing",
    /cleanup\.policy delete → compact: all but the newest/
  ],
  [kept(settings("compact", "1000")), kept(), "losing", /cleanup\.policy compact → delete: older records/],
  [kept({ settings: {} }), kept({ settings: { "retention.ms": "5" } }), "none", /retention\.ms unset → 5$/],
  [kept(inSync("1")), kept(inSync("2")), "none", /min\.insync\.replicas 1 → 2$/],
  [kept(inSync("3")), kept(inSync("2")), undefined, /never/],
  [
    kept({ ...inSync("1"), replication: 1 }),
    kept(inSync("2")),
    "impossible",
    /copies of each partition 1 → 3/
  ]
]

describe("the plan of topics", () => {
  for (const [found, wanted, risk, sentence] of cases) {
    const was = found === undefined ? "nothing" : JSON.stringify({ ...found, name: undefined })
    it(`takes ${was} to ${JSON.stringify({ ...wanted, name: undefined })} as ${risk ?? "no change"}`, () => {
      const changes = planTopics([wanted], found === undefined ? [] : [found])
      assert.deepStrictEqual(
        changes.map((change) => change.risk),
        risk === undefined ? [] : [risk]
      )
      for (const change of changes) assert.match(sentenceOf(change), sentence)
    })
  }

  it("names each difference of a topic, and leaves topics that are not the program's alone", () => {
    const found = [
      kept({ name: "other", partitions: 1 }),
      kept({ ...settings("compact", "9"), partitions: 3 })
    ]
    assert.deepStrictEqual(
      planTopics([kept()], found).map(({ kind, setting }) => setting ?? kind),
      ["partitions", "cleanup.policy", "retention.ms"]
    )
  })

  it("wants topics of transactions only with RAW_TRANSACTIONS, with their own retention", () => {
    const transactions = (rawTransactions: boolean) =>
      wantedTopics("", { ...service, rawTransactions }, 1).filter(({ name }) =>
        name.endsWith(".transactions")
      )
    assert.deepStrictEqual(transactions(false), [])
    assert.deepStrictEqual(
      transactions(true).map(({ name, settings: { "retention.ms": retentionMs } }) => [name, retentionMs]),
      ["mainnet", "testnet", "devnet"].map((network) => [
        `xrpl.${network}.transactions`,
        String(service.retentionTransactionsMs)
      ])
    )
  })

  it("wants every topic of every network under the prefix, with no more copies than brokers", () => {
    const wanted = wantedTopics("staging.", service, 2)
    const named = new Map(wanted.map((topic) => [topic.name, topic]))
    assert.strictEqual(named.size, wanted.length)
    assert.deepStrictEqual(named.get("staging.xrpl.devnet.events"), {
      name: "staging.xrpl.devnet.events",
      partitions: 1,
      replication: 2,
      settings: {
        "cleanup.policy": "delete",
        "retention.ms": String(400 * DAY_MS),
        "min.insync.replicas": "1"
      }
    })
    assert.deepStrictEqual(named.get("staging.webhooks.config")?.settings, {
      "cleanup.policy": "compact",
      "min.insync.replicas": "1"
    })
    const inSyncOf = (brokers: number) =>
      wantedTopics("", service, brokers)[0]?.settings["min.insync.replicas"]
    assert.deepStrictEqual([1, 3, 9].map(inSyncOf), ["1", "2", "2"])
    assert.isTrue(named.has("staging.webhooks.delay.2") && named.has("staging.webhooks.delay.10"))
  })
})
