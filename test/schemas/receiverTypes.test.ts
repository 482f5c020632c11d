/** `npm run schemas` makes the receiver packages' types from the schemas, whatever optional fields payloads gain. */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../src/spine/event/Ledger.ts"
import { receiverPython } from "../../tools/schemas/ReceiverPython.ts"
import { receiverTypes } from "../../tools/schemas/ReceiverTypes.ts"
import { hasPython } from "../receiver-python/support.ts"
import { readSchema } from "./support.ts"

const object = (properties: JsonObject, required: ReadonlyArray<string> = []): JsonObject => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})
const Text = { type: "string", description: "A text." }
const list = ($ref: string) => ({ type: "array", items: { $ref: `#/$defs/${$ref}` }, description: "A list." })

const asset = { anyOf: [{ type: "string", enum: ["XRP"] }, { $ref: "#/$defs/Token" }], description: "What." }
/** A payload with the kinds of fields that a webhook can ask for: lists of objects, and a field that is only true. */
const properties = {
  tx_hash: { $ref: "#/$defs/Text", description: "The transaction." },
  memos: list("Memo"),
  memos_truncated: { type: "boolean", enum: [true], description: "Some are left out." },
  balance_changes: list("Change")
}
const extended = {
  ...object(properties, ["tx_hash"]),
  title: "payment.xrp",
  $defs: {
    Text,
    Token: object({ currency: { $ref: "#/$defs/Text" } }, ["currency"]),
    Memo: {
      ...object({ type: { $ref: "#/$defs/Text" }, data: { $ref: "#/$defs/Text" } }),
      description: "A memo."
    },
    Change: object({ account: { $ref: "#/$defs/Text" }, asset }, ["account", "asset"])
  }
}
const schemasWith = (document: JsonObject) => [
  { path: "envelope.schema.json", document: readSchema("envelope.schema.json") },
  { path: "payloads/payment.xrp.schema.json", document }
]

describe("types of the receiver packages", () => {
  it("have lists of objects and optional fields in TypeScript", () => {
    const types = receiverTypes(schemasWith(extended))
    for (const line of [
      "export interface Memo {",
      "  readonly type?: Text",
      "  readonly memos?: ReadonlyArray<Memo>",
      "  readonly memos_truncated?: true",
      "  readonly balance_changes?: ReadonlyArray<Change>",
      '  readonly asset: "XRP" | Token'
    ])
      assert.include(types, `\n${line}\n`)
  })

  it.skipIf(!hasPython)("have the same in Python, also where every field is optional", () => {
    const program = `${receiverPython(schemasWith(extended))}
import typing
print(sorted(Memo.__optional_keys__), sorted(Memo.__required_keys__), sorted(PaymentXrp.__optional_keys__))
print(typing.get_type_hints(PaymentXrp)["memos"], typing.get_type_hints(Change)["asset"])
`
    const { stderr, stdout } = spawnSync("python3", ["-"], { encoding: "utf8", input: program })
    assert.strictEqual(stderr, "")
    assert.strictEqual(
      stdout,
      `['data', 'type'] [] ['balance_changes', 'memos', 'memos_truncated']
typing.List[__main__.Memo] typing.Union[typing.Literal['XRP'], __main__.Token]
`
    )
  })

  it("say what to do about an object without a name, which Python cannot express", () => {
    const memos = { type: "array", items: object({}) }
    const document = { ...extended, ...object({ ...properties, memos }) }
    assert.throws(() => receiverPython(schemasWith(document)), /Give it a name/)
  })
})
