/** Values with a schema have Confluent's prefix. Values with and without it can be read. */
import { assert, describe, it } from "@effect/vitest"
import { decodeValue, encodeValue } from "../../../../src/spine/log/kafka/WireFormat.ts"

describe("the wire format", () => {
  it("is a zero byte, the schema's id in four bytes, and the JSON", () => {
    const value = encodeValue('{"a":"é"}', 0x01_02_03_04)
    assert.deepStrictEqual([...value.subarray(0, 5)], [0, 1, 2, 3, 4])
    assert.strictEqual(value.subarray(5).toString(), '{"a":"é"}')
  })

  it("is plain JSON without a schema, and reading takes both", () => {
    assert.strictEqual(encodeValue("{}", undefined).toString(), "{}")
    for (const json of ['{"a":"é"}', "", "null"]) {
      for (const id of [undefined, 0, 1, 0x7f_ff_ff_ff]) {
        assert.strictEqual(decodeValue(encodeValue(json, id)), json)
      }
    }
  })
})
