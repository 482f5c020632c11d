/** Deferred deliveries are taken in the order of their events, and a webhook knows when one of its own waits. */
import { assert, describe, it } from "@effect/vitest"
import type { LedgerEvent } from "../../src/domain/LedgerEvent.ts"
import type { LogRecord } from "../../src/log/EventLog.ts"
import { makeDeferred } from "../../src/route/Deferred.ts"

// Only the offset is read.
const record = (offset: number) => ({ offset }) as LogRecord
const event = {} as LedgerEvent
const webhooks = (...ids: ReadonlyArray<string>) =>
  ids.map((id) => ({ id, account_id: "acct_1", network: "mainnet" as const }))

describe("deferred deliveries", () => {
  it("are taken in parts, in the order of events", () => {
    const deferred = makeDeferred()
    deferred.add(record(5), event, webhooks("a", "b", "c"))
    deferred.add(record(7), event, webhooks("b", "d"))
    const take = (most: number) =>
      deferred.take(most).map(({ record, webhook }) => `${record.offset} ${webhook.id}`)
    assert.deepStrictEqual(take(2), ["5 a", "5 b"])
    assert.strictEqual(deferred.size(), 3)
    assert.deepStrictEqual(take(2), ["5 c", "7 b"])
    assert.deepStrictEqual(take(2), ["7 d"])
    assert.deepStrictEqual(take(2), [])
  })

  it("name the first event that has some left, which must not be committed", () => {
    const deferred = makeDeferred()
    assert.strictEqual(deferred.firstOffset(), undefined)
    deferred.add(record(5), event, webhooks("a", "b"))
    deferred.add(record(6), event, [])
    deferred.add(record(7), event, webhooks("c"))
    deferred.take(1)
    assert.strictEqual(deferred.firstOffset(), 5)
    deferred.take(1)
    assert.strictEqual(deferred.firstOffset(), 7)
    deferred.take(1)
    assert.strictEqual(deferred.firstOffset(), undefined)
  })

  it("hold back later ones of their webhook until the last of them is taken", () => {
    const deferred = makeDeferred()
    deferred.add(record(5), event, webhooks("a"))
    deferred.add(record(7), event, webhooks("a"))
    assert.isTrue(deferred.has("a"))
    assert.isFalse(deferred.has("b"))
    deferred.take(1)
    assert.isTrue(deferred.has("a"))
    deferred.take(1)
    assert.isFalse(deferred.has("a"))
  })
})
