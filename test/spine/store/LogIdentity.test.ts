/**
 * The database stores its log's identity at the first start. A start with another log is refused, and the error says
 * what to do.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  claimLog,
  conflictOf,
  embeddedIdentity,
  knownLog,
  type LogIdentity,
  requireLog
} from "../../../src/spine/store/LogIdentity.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const cluster = (clusterId: string, topicPrefix = ""): LogIdentity => ({
  kind: "kafka",
  clusterId,
  topicPrefix
})

describe("the database's log", () => {
  for (const [name, own, other] of [
    ["the embedded one", embeddedIdentity, cluster("A")],
    ["a cluster's", cluster("A", "one."), embeddedIdentity],
    ["a cluster's topics of one prefix", cluster("A", "one."), cluster("A")]
  ] as const) {
    it.live(`is recorded once, and is another than ${name}`, () =>
      Effect.gen(function* () {
        yield* requireLog(own)
        assert.isUndefined(yield* knownLog, "only a start records it")
        yield* claimLog(own)
        yield* claimLog(own)
        assert.deepStrictEqual(yield* knownLog, own)
        for (const start of [requireLog, claimLog]) {
          const { message } = yield* Effect.flip(start(other))
          assert.strictEqual(message, conflictOf(own, other))
        }
        assert.deepStrictEqual(yield* knownLog, own)
      }).pipe(Effect.provide(TestDatabase))
    )
  }

  it("is named in the error, which says what to do", () => {
    const instead = (known: LogIdentity, given: LogIdentity) => conflictOf(known, given)?.replace(/^.*; /, "")
    assert.strictEqual(
      conflictOf(embeddedIdentity, cluster("A")),
      "KAFKA_BROKERS: what this database has queued is in the embedded log, and would stay behind on the Kafka cluster A with no KAFKA_TOPIC_PREFIX; unset KAFKA_BROKERS, or run `ledgerhook move --database-url-env NAME --kafka-brokers …` under the old settings, or use another database (DATA_DIR or DATABASE_URL)."
    )
    assert.match(instead(cluster("A"), embeddedIdentity) ?? "", /^set KAFKA_BROKERS to that cluster, or/)
    assert.include(
      instead(cluster("A"), embeddedIdentity),
      "or run `ledgerhook move --database-url-env NAME` under the old settings, or"
    )
    assert.notInclude(instead(cluster("A", "x."), cluster("A")), "move")
    assert.match(
      instead(cluster("A", "x."), cluster("B", "x.")) ?? "",
      /^set KAFKA_BROKERS to that cluster, or/
    )
    assert.match(instead(cluster("A", "x."), cluster("A")) ?? "", /^set KAFKA_TOPIC_PREFIX to "x\.", or/)
    assert.match(instead(cluster("A"), cluster("A", "x.")) ?? "", /^unset KAFKA_TOPIC_PREFIX, or/)
    assert.isUndefined(conflictOf(cluster("A", "x."), cluster("A", "x.")))
  })
})
