/** The Parquet schema of each event type: nothing of a payload is lost, and nothing unknown is dropped silently. */
import { assert, describe, it } from "@effect/vitest"
import { parquetEncoder } from "../../../src/features/export/Parquet.ts"
import {
  type Column,
  eventColumns,
  payloadColumns,
  recordColumns,
  schemaElements
} from "../../../src/features/export/ParquetColumns.ts"
import { type ParquetValue, rowsOf, unscaled } from "../../../src/features/export/ParquetValues.ts"
import { type EventType, eventTypes } from "../../../src/spine/event/EventType.ts"
import { publishedSchemas } from "../../../src/spine/event/JsonSchemas.ts"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"

const examplesOf = (type: EventType): ReadonlyArray<JsonObject> => {
  const schema = publishedSchemas().find(({ path }) => path === `payloads/${type}.schema.json`)!
  // Every published schema has examples.
  return schema.document["examples"] as ReadonlyArray<JsonObject>
}

const isStruct = (value: ParquetValue): value is { readonly [name: string]: ParquetValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The JSON that the value of a column stands for. */
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
      const fields = Object.entries(value).filter(
        ([name, inner]) => inner !== undefined && column.fields[name]!.kind !== "decimal"
      )
      if (fields.length === 1 && fields[0]![0] === "drops") return fields[0]![1]
      return Object.fromEntries(fields.map(([name, inner]) => [name, back(column.fields[name]!, inner)]))
    }
    default:
      return value
  }
}

const recordOf = (type: EventType, payload: JsonObject, position = 0): JsonObject => ({
  event_id: `xrpl:1:${position}`,
  event_type: type,
  ledger_index: 1,
  timestamp: "2026-11-21T00:26:41Z",
  network: "mainnet",
  payload,
  accounts: [],
  position,
  detected_at: 1
})

const rowOf = (type: EventType, payload: JsonObject) => rowsOf(type)(recordOf(type, payload))

/** `memos` and the like are beside the payload in a record. */
const payloadOf = (type: EventType, example: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(example).filter(([name]) => name in payloadColumns(type)))

describe("the Parquet schema of events", () => {
  it("keeps every field of every published example", () => {
    for (const type of eventTypes)
      for (const example of examplesOf(type)) {
        const payload = payloadOf(type, example)
        assert.deepStrictEqual(
          back(
            { kind: "struct", fields: payloadColumns(type) },
            Object.fromEntries(
              Object.entries(rowOf(type, payload)).filter(([name]) => !(name in recordColumns))
            )
          ),
          payload,
          type
        )
      }
  })

  it("is one for all types: a field of a payload has one column, and no column is in the record too", () => {
    const all = eventColumns()
    for (const type of eventTypes) {
      const columns = payloadColumns(type)
      assert.deepStrictEqual(
        Object.keys(columns).filter((name) => name in recordColumns),
        [],
        type
      )
      assert.includeMembers(Object.keys(all), Object.keys(columns))
    }
    // As text in one type and an object in others.
    for (const [type, field] of [
      ["payment.xrp", "amount"],
      ["payment.issued", "amount"],
      ["account.deleted", "delivered_amount"],
      ["account.created", "initial_balance"]
    ] as const)
      assert.deepStrictEqual(payloadColumns(type)[field], all["amount"], `${type} ${field}`)
    // In the path.
    for (const name of ["network", "date", "type", "event_type"]) assert.notProperty(all, name)
    const names = schemaElements(all).map(({ name }) => name)
    assert.includeMembers(names, ["taker_gets", "drops_decimal", "limit", "limit_decimal", "mpt_issuance_id"])
  })

  it("has a DECIMAL beside each decimal text, and null there if it would not be exact", () => {
    const decimal = { kind: "decimal", precision: 38, scale: 18 } as const
    const exact: ReadonlyArray<readonly [string, bigint | undefined]> = [
      ["0", 0n],
      ["-0.5", -500_000_000_000_000_000n],
      ["410.84", 410_840_000_000_000_000_000n],
      ["1000000000000000e-3", 10n ** 30n],
      ["9223372036854775807", 9_223_372_036_854_775_807n * 10n ** 18n],
      ["99999999999999999999", 99_999_999_999_999_999_999n * 10n ** 18n],
      ["100000000000000000000", undefined],
      ["9999999999999999e80", undefined],
      ["1e-18", 1n],
      ["10e-19", 1n],
      ["1e-19", undefined],
      ["0.1234567890123456789", undefined]
    ]
    for (const [text, value] of exact) assert.strictEqual(unscaled(text, decimal), value, text)
    const token = {
      currency: "USD",
      issuer: "rwXV2PoCD5FRSzWm2DBANR7k4B94Hz9jhf",
      value: "9999999999999999e80"
    }
    const { taker_gets, taker_pays } = rowOf("dex.offer_created", {
      taker_gets: token,
      taker_pays: "99999999999999999"
    })
    assert.deepStrictEqual(taker_gets, { ...token, value_decimal: undefined })
    assert.deepStrictEqual(taker_pays, { drops: "99999999999999999", drops_decimal: 99_999_999_999_999_999n })
  })

  it("shows a balance change as an amount", () => {
    const [issuer, account] = ["rwXV2PoCD5FRSzWm2DBANR7k4B94Hz9jhf", "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"]
    const balance_changes = [
      { account, asset: "XRP", change: "-12" },
      { account, asset: { currency: "USD", issuer }, change: "0.5" }
    ]
    assert.deepStrictEqual(
      rowsOf("payment.xrp")({ ...recordOf("payment.xrp", {}), balance_changes })["balance_changes"],
      [
        { account, change: { drops: "-12", drops_decimal: -12n } },
        {
          account,
          change: { currency: "USD", issuer, value: "0.5", value_decimal: 500_000_000_000_000_000n }
        }
      ]
    )
  })

  it("refuses a field or a form that the schema does not have, and names it", () => {
    const refused = (payload: JsonObject) => () => rowOf("nft.minted", payload)
    assert.throws(refused({ colour: "red" }), /^payload\.colour is a field that/)
    assert.throws(refused({ taxon: "six" }), /^payload\.taxon is "six", which/)
    assert.throws(refused({ uri: { a: 1 } }), /^payload\.uri is \{"a":1\}, which/)
  })

  it("makes the same bytes from the same groups of events", () => {
    const [payload] = examplesOf("nft.minted")
    const value = (position: number) =>
      JSON.stringify(recordOf("nft.minted", payloadOf("nft.minted", payload!), position))
    const file = () => {
      const encoder = parquetEncoder("nft.minted")
      return Buffer.concat([encoder.group([value(0), value(1)]), encoder.group([value(2)]), encoder.end()])
    }
    const [one, other] = [file(), file()]
    assert.isTrue(one.equals(other))
    assert.strictEqual(`${one.subarray(0, 4)}${one.subarray(-4)}`, "PAR1PAR1")
  })
})
