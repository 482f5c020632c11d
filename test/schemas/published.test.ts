/** The files of `schemas/` agree with the code, work with strict validators, and have valid examples. */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { accountIdOfAddress } from "../../src/spine/event/AccountId.ts"
import { eventTypes } from "../../src/spine/event/EventType.ts"
import type { Json, JsonObject } from "../../src/spine/event/Ledger.ts"
import { isJsonObject } from "../../src/spine/event/NormaliseLedger.ts"
import { differences, schemaFiles } from "../../tools/schemas/SchemaFiles.ts"
import { BATCH, complaints, ENVELOPE, payloadPath, readSchema, schemaPaths, validator } from "./support.ts"

const filesThere = (): ReadonlyMap<string, string> =>
  new Map(
    globSync("**/*.*", { cwd: "schemas" })
      .filter((path) => /\.(?:json|md)$/.test(path))
      .map((path) => [path, readFileSync(`schemas/${path}`, "utf8")])
  )

/** Every object inside `value`, itself included. */
const objectsIn = (value: Json): ReadonlyArray<JsonObject> => {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : []
}

const textsIn = (value: Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : []
}

// Every published schema has a list of examples. A test below checks them.
const examplesOf = (schema: JsonObject): ReadonlyArray<Json> => schema["examples"] as ReadonlyArray<Json>

describe("schemas/", () => {
  it("is what the code says (npm run schemas writes it)", () => {
    assert.deepStrictEqual(differences(schemaFiles(), filesThere()), [])
  })

  it("holds the envelope, the batch, a payload for each event type and the records of the public topics", () => {
    assert.sameMembers(
      [...schemaPaths],
      [
        ENVELOPE,
        BATCH,
        ...eventTypes.map(payloadPath),
        "records/event.schema.json",
        "records/ledger.schema.json",
        "records/transaction.schema.json"
      ]
    )
    const ids = schemaPaths.map((path) => readSchema(path)["$id"])
    assert.strictEqual(new Set(ids).size, schemaPaths.length)
  })

  it("reports a missing, an outdated and a superfluous file", () => {
    const is = new Map([
      ["b", "old"],
      ["c", "1"],
      ["d", "1"]
    ])
    const shouldBe = new Map([
      ["a", "1"],
      ["b", "new"],
      ["c", "1"]
    ])
    assert.deepStrictEqual(differences(shouldBe, is), [
      { path: "a", what: "missing" },
      { path: "b", what: "outdated" },
      { path: "d", what: "left over" }
    ])
  })
})

describe.each(schemaPaths)("%s", (path) => {
  const schema = readSchema(path)

  it("compiles in strict mode and names its draft and itself", () => {
    assert.isFunction(validator(path))
    assert.strictEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
    assert.match(String(schema["$id"]), /^urn:ledgerhook:schemas:v1:[a-z]+(?::[a-z_.]+)?$/)
  })

  it("has title, description and examples, and says of each field what it is", () => {
    for (const key of ["title", "description"]) assert.isString(schema[key], key)
    assert.isAbove(examplesOf(schema).length, 0)
    const definitions = isJsonObject(schema["$defs"]) ? schema["$defs"] : {}
    for (const [name, definition] of [["", schema] as const, ...Object.entries(definitions)]) {
      if (!isJsonObject(definition)) return assert.fail(name)
      assert.isString(definition["description"], name)
      const properties = isJsonObject(definition["properties"]) ? definition["properties"] : {}
      for (const [field, property] of Object.entries(properties))
        assert.isString(isJsonObject(property) ? property["description"] : undefined, `${name} ${field}`)
    }
  })

  it("refuses fields it does not name, wherever it names some", () => {
    for (const object of objectsIn({ ...schema, examples: [] }))
      if (isJsonObject(object["properties"]) && object["type"] === "object")
        assert.strictEqual(object["additionalProperties"], false, JSON.stringify(object))
  })

  it("has examples that it accepts, in its own order of fields and with addresses that could exist", () => {
    const order = Object.keys(isJsonObject(schema["properties"]) ? schema["properties"] : {})
    for (const example of examplesOf(schema)) {
      assert.deepStrictEqual(complaints(path, example), [])
      const keys = Object.keys(isJsonObject(example) ? example : {})
      assert.deepStrictEqual(
        keys,
        order.filter((key) => keys.includes(key))
      )
      for (const text of textsIn(example))
        if (/^r[1-9A-HJ-NP-Za-km-z]{24,34}$/.test(text)) assert.isDefined(accountIdOfAddress(text), text)
    }
  })
})

describe("schemas/README.md", () => {
  const text = readFileSync("schemas/README.md", "utf8")

  it("shows code that validates what a webhook receives", () => {
    const code = /```js\n([\s\S]*?)```/.exec(text)?.[1]
    const [envelope] = examplesOf(readSchema(ENVELOPE))
    const asked = `${code}
const body = ${JSON.stringify(envelope)}
console.log(isPayment(body), isPayment({ ...body, extra: 1 }), isPayment({ ...body, payload: {} }))`
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", asked], {
      encoding: "utf8"
    })
    assert.strictEqual(stdout, "true false false\n", stderr)
  })

  it("links only to headings and files that are there", () => {
    const anchors = new Set(
      Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading]) =>
        heading!
          .toLowerCase()
          .replace(/[^a-z0-9_ -]/g, "")
          .replaceAll(" ", "-")
      )
    )
    for (const [, anchor] of text.matchAll(/\]\(#([^)]+)\)/g)) assert.isTrue(anchors.has(anchor!), anchor)
    for (const [, file] of text.matchAll(/\]\((?!#|https:)([^)]+)\)/g))
      assert.isTrue(existsSync(`schemas/${file}`), file)
  })
})
