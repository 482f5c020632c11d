/** What `doctor` says of the data in the database. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  deadLettersFinding,
  logFinding,
  storedLog
} from "../../../../src/features/operate/doctor/StoredChecks.ts"
import { makeDeadLetters } from "../../../../src/spine/store/DeadLetters.ts"
import {
  claimLog,
  conflictOf,
  embeddedIdentity,
  type LogIdentity
} from "../../../../src/spine/store/LogIdentity.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"

describe("doctor", () => {
  it.effect("shows dead letters: how many, and the newest with its reason", () =>
    Effect.gen(function* () {
      const { put } = yield* makeDeadLetters
      assert.strictEqual((yield* deadLettersFinding)?.status, "ok")
      yield* put("events", [
        { source: "names/0@0", text: "forbidden", reason: "violates check constraint" },
        { source: "names/0@1", text: "a\0\u001b[31mb", reason: "invalid byte sequence" }
      ])
      const { detail, fix, status } = (yield* deadLettersFinding)!
      assert.strictEqual(status, "warning")
      assert.match(detail, /^2 records are dead letters, .*newest: events, names\/0@1: invalid byte sequence/)
      assert.match(fix, /table quarantine/)
    }).pipe(Effect.provide(TestDatabase))
  )

  const cluster = (topicPrefix: string): LogIdentity => ({ kind: "kafka", clusterId: "A", topicPrefix })
  it.live.each([
    ["the embedded one", embeddedIdentity, cluster("")],
    ["a cluster's", cluster("one."), embeddedIdentity],
    ["a cluster's topics of one prefix", cluster("one."), cluster("")]
  ] as const)("knows the database's log: %s, and no other", ([, own, other]) =>
    Effect.gen(function* () {
      assert.isUndefined(yield* storedLog, "only a start records it")
      yield* claimLog(own)
      assert.deepStrictEqual(yield* storedLog, own)
      assert.strictEqual(logFinding(own, own).status, "ok")
      const { fix, status } = logFinding(own, other)
      assert.deepStrictEqual([status, fix], ["problem", conflictOf(own, other)])
    }).pipe(Effect.provide(TestDatabase))
  )
})
