/** The Parquet schema of each event type: nothing of a payload is lost, and nothing unknown is dropped silently. */
import { assert, describe, it } from "@effect/vitest"
import { parquetEncoder } from "../../../../src/cli/commands/events/Parquet.ts"
import {
  type Column,
  convert,
  eventColumns,
  type ParquetValue,
  schemaElements
} from "../../../../src/cli/commands/events/ParquetColumns.ts"
import { type EventType, eventTypes } from "../../../../src/domain/EventType.ts"
import { publishedSchemas } from "../../../../src/domain/JsonSchemas.ts"
import type { Json, JsonObject } from "../../../../src/domain/Ledger.ts"

const examplesOf = (type: EventType): ReadonlyArray<JsonObject> => {
  const schema = publishedSchemas().find(({ path }) => path === `payloads/${type}.schema.json`)!
  // Every published schema has examples.
  return schema.document["examples"] as ReadonlyArray<JsonObject>
}

const isStruct = (value: ParquetValue): value is { readonly [name: string]: ParquetValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The JSON that the converted value stands for. */
const back = (column: Column, value: ParquetValue): unknown => {
  switch (column.kind) {
    case "integer":
      return Number(value)
    case "time":
      return new Date(Number(value)).toISOString().replace(".000Z", "Z")
    case "list":
      return Array.isArray(value) ? value.map((one) => back(column.element, one)) : value
    case "struct": {
      if (!isStruct(value)) return value
      if (Object.keys(value).join() === "drops") return value["drops"]
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, back(column.fields[name]!, inner)])
      )
    }
    default:
      return value
  }
}

const payloadColumn = (type: EventType): Column => eventColumns(type)["payload"]!

describe("the Parquet schema of an event type", () => {
  it("keeps every field of every published example", () => {
    for (const type of eventTypes) {
      const column = payloadColumn(type)
      for (const example of examplesOf(type))
        assert.deepStrictEqual(back(column, convert(column, example, "payload")), example, type)
    }
  })

  it("keeps amounts exact: XRP as drops, a token as it is", () => {
    const column = payloadColumn("dex.offer_created")
    const amount = (taker_gets: Json) => convert(column, { taker_gets }, "payload")
    assert.deepStrictEqual(amount("99999999999999999"), { taker_gets: { drops: "99999999999999999" } })
    const token = {
      currency: "USD",
      issuer: "rwXV2PoCD5FRSzWm2DBANR7k4B94Hz9jhf",
      value: "9999999999999999e80"
    }
    assert.deepStrictEqual(amount(token), { taker_gets: token })
    const names = schemaElements(eventColumns("dex.offer_created")).map(({ name }) => name)
    assert.includeMembers(names, ["payload", "taker_gets", "drops", "currency", "mpt_issuance_id", "is_sell"])
  })

  it("refuses a field or a form that the schema does not have, and names it", () => {
    const column = payloadColumn("nft.minted")
    assert.throws(() => convert(column, { colour: "red" }, "payload"), /^payload\.colour is a field that/)
    assert.throws(() => convert(column, { taxon: "six" }, "payload"), /^payload\.taxon is "six", which/)
    assert.throws(() => convert(column, { uri: { a: 1 } }, "payload"), /^payload\.uri is \{"a":1\}, which/)
  })

  it("makes the same bytes from the same groups of events", () => {
    const [payload] = examplesOf("nft.minted")
    const value = (position: number) =>
      JSON.stringify({
        event_id: `xrpl:1:${position}`,
        event_type: "nft.minted",
        ledger_index: 1,
        timestamp: "2026-11-21T00:26:41Z",
        network: "mainnet",
        payload,
        accounts: [],
        position,
        detected_at: 1
      })
    const file = () => {
      const encoder = parquetEncoder("nft.minted")
      return Buffer.concat([encoder.group([value(0), value(1)]), encoder.group([value(2)]), encoder.end()])
    }
    const [one, other] = [file(), file()]
    assert.isTrue(one.equals(other))
    assert.strictEqual(`${one.subarray(0, 4)}${one.subarray(-4)}`, "PAR1PAR1")
  })
})
