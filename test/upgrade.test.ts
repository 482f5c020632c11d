/**
 * What earlier versions have stored stays readable: their tables are still there with the columns that they write, and
 * their log records decode. test/upgrade.slow.test.ts runs the program on their stores.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { parseWork } from "../src/spine/domain/Delivery.ts"
import { CONFIG_TOPIC } from "../src/spine/domain/Webhook.ts"
import { parseLedgerEvent } from "../src/spine/event/LedgerEvent.ts"
import { parseTransactionRecord } from "../src/spine/event/TransactionRecord.ts"
import { readMarker } from "../src/spine/log/ledgers/LedgerMarkers.ts"
import { TestDatabase } from "./support/store/postgres.ts"
import { byNumber, fixtureVersions, storeList, upgradableVersions } from "./support/upgrade/fixture.ts"
import { schemaList } from "./support/upgrade/schema.ts"

/** Columns that the version before does not use any more: `table.column`. A migration may drop these. */
const UNUSED: ReadonlyArray<string> = ["webhooks.failing_reported"]

/** The first version that was released. Its records stay in the log for 400 days. */
const FIRST = "0.2.0"

const versions = fixtureVersions()

/** Changes that are added to their totals within a second, and what a process writes anew after its start. */
const OFTEN_EMPTY = new Set(["delivery_changes", "job_changes", "report"])

/** Whether the program reads the record as its stages do. */
const decodes = (topic: string, value: string): boolean => {
  if (topic.endsWith(".events")) return parseLedgerEvent(value) !== undefined
  if (topic.endsWith(".transactions")) return parseTransactionRecord(value) !== undefined
  if (topic === CONFIG_TOPIC) return typeof JSON.parse(value).sealed_secret === "string"
  if (topic.startsWith("webhooks.")) return parseWork(value) !== undefined
  const record = { topic, partition: 0, offset: 0, key: "", value, headers: {}, timestamp: 0 }
  return Result.isSuccess(Result.try(() => readMarker(record)))
}

describe("stores of earlier versions", () => {
  it("there is one of every released version", () => {
    const released = [...readFileSync("CHANGELOG.md", "utf8").matchAll(/^## \[([\d.]+)\] - \d{4}/gm)]
      .map(([, version]) => version!)
      .filter((version) => byNumber(version, FIRST) >= 0)
    for (const version of released) assert.include(versions, version, "run `npm run store-fixture`")
    assert.isNotEmpty(versions)
  })

  for (const version of versions) {
    const { records, rows, tables } = storeList(version)

    it(`${version}: the store has rows in every table`, () => {
      const empty = Object.keys(rows).filter((table) => rows[table] === 0)
      assert.deepStrictEqual(
        empty.filter((table) => !OFTEN_EMPTY.has(table)),
        []
      )
    })

    it(`${version}: records of every topic decode, also with a field that a later version adds`, () => {
      const topics = new Set(records.map(({ topic }) => topic))
      for (const topic of ["xrpl.mainnet.ledgers", "xrpl.mainnet.history.events", CONFIG_TOPIC])
        assert.isTrue(topics.has(topic), topic)
      for (const { topic, value } of records) {
        if (value === null) continue
        assert.isTrue(decodes(topic, value), `${topic}: ${value}`)
        assert.isTrue(decodes(topic, JSON.stringify({ ...JSON.parse(value), added_later: 1 })), topic)
      }
    })

    if (!upgradableVersions().includes(version)) continue
    it.effect(`${version}: a process of it can write to the present tables`, () =>
      Effect.gen(function* () {
        const present = yield* schemaList
        for (const [table, { columns }] of Object.entries(tables)) {
          for (const [column, type] of Object.entries(columns)) {
            if (UNUSED.includes(`${table}.${column}`)) continue
            assert.strictEqual(present[table]?.columns[column], type, `${table}.${column}`)
          }
          for (const [column, type] of Object.entries(present[table]?.columns ?? {})) {
            if (columns[column] !== undefined || !type.includes("NOT NULL")) continue
            assert.match(type, /DEFAULT|IDENTITY/, `${table}.${column} is new: it needs a default or NULL`)
          }
        }
      }).pipe(Effect.provide(TestDatabase))
    )
  }
})
