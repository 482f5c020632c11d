/** Schemas are joined so that tools that make columns find each field once, with one form of each type. */
import { assert, describe, it } from "@effect/vitest"
import { joinedObject } from "../../../src/spine/event/JoinedSchemas.ts"
import { publishedSchemas, recordedPayloads } from "../../../src/spine/event/JsonSchemas.ts"

const object = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: "object",
  properties: properties as never,
  required
})

describe("joined schemas", () => {
  it("have every field, and require what all require", () => {
    const integer = { type: "integer", minimum: 0, maximum: 9 }
    const joined = joinedObject(
      [object({ a: integer, b: integer }), object({ a: integer, c: integer }, ["a"])],
      {}
    )
    assert.deepStrictEqual(joined, {
      type: "object",
      properties: { a: integer, b: integer, c: integer },
      required: ["a"],
      additionalProperties: false
    } as never)
  })

  it("have one form of each type: the widest", () => {
    const definitions = {
      Drops: { type: "string", pattern: "^[0-9]+$" },
      Token: { type: "object", properties: { value: { type: "string" } } },
      Amount: { anyOf: [{ $ref: "#/$defs/Drops" }, { $ref: "#/$defs/Token" }] }
    }
    const forms = [
      { v: { type: "integer", minimum: 1, maximum: 5 }, text: { type: "string", enum: ["a", "b"] } },
      { v: { type: "integer", minimum: 0, maximum: 3 }, text: { type: "string", enum: ["b", "c"] } },
      { v: { $ref: "#/$defs/Amount" }, text: { type: "string", enum: ["a"] } },
      { v: { type: "string", pattern: "x" }, text: { type: "string", enum: ["a"] } }
    ]
    const { properties } = joinedObject(
      forms.map((fields) => object(fields)),
      definitions
    )
    assert.deepStrictEqual(properties, {
      v: {
        anyOf: [{ type: "string" }, { type: "integer", minimum: 0, maximum: 5 }, { $ref: "#/$defs/Token" }]
      },
      text: { type: "string", enum: ["a", "b", "c"] }
    } as never)
  })

  it("give the event record each field of each payload", () => {
    const record = publishedSchemas().find(({ path }) => path === "records/event.schema.json")!.document
    const fields = Object(record["properties"]).payload.properties
    for (const [type, schema] of recordedPayloads())
      for (const name of Object.keys(Object(schema["properties"]))) assert.property(fields, name, type)
  })
})
