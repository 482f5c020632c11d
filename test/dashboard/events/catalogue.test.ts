/** What the pages of event types say, from the schemas and descriptions of the service. */
import { assert, describe, it } from "@effect/vitest"
import {
  commonFields,
  describe as described,
  fieldsOf,
  notesOf,
  search,
  variantsOf
} from "../../../dashboard/src/features/events/catalogue/describe.ts"
import { codeParts } from "../../../dashboard/src/features/events/catalogue/highlight.ts"
import { shownFields, typedFields } from "../../../dashboard/src/features/events/catalogue/snippetFields.ts"
import { languages, snippetOf } from "../../../dashboard/src/features/events/catalogue/snippets.ts"
import { byFamily } from "../../../dashboard/src/words/eventTypes.ts"
import { eventCatalogue } from "../../../src/spine/event/EventCatalogue.ts"

const types = eventCatalogue()
const names = types.map(({ event_type }) => event_type)
const of = (name: string) => types.find(({ event_type }) => event_type === name)!

describe("the catalogue of event types", () => {
  it("says each field's kind in words, without a name of the schema", () => {
    const kinds = Object.fromEntries(fieldsOf(of("nft.offer_accepted")).map((one) => [one.name, one]))
    assert.strictEqual(kinds["transfer_fee"]!.kind, "0 to 50\u202f000")
    assert.strictEqual(kinds["amount"]!.kind, "drops, or token amount")
    assert.isTrue(kinds["broker"]!.isOptional)
    assert.isFalse(kinds["seller"]!.isOptional)
    for (const type of types)
      for (const { kind, name } of fieldsOf(type))
        assert.match(kind, /^[a-z0-9]/, `${type.event_type} ${name}`)
  })

  it("leaves out what every type may have", () => {
    assert.deepStrictEqual(
      [...commonFields(types)],
      ["delegate", "parent_batch_id", "sponsor", "memos", "memos_truncated", "balance_changes"]
    )
  })

  it("tells what causes an event from what it says of other events", () => {
    const { causes, when } = described(of("nft.minted").description, names)
    assert.strictEqual(when, "An NFTokenMint succeeded.")
    assert.deepInclude(causes, { text: "nft.offer_created", type: "nft.offer_created" })
    assert.deepStrictEqual(described(of("check.created").description, names).causes, [])
    // Nothing of a description is lost.
    for (const { description } of types) {
      const { causes, when } = described(description, names)
      assert.strictEqual(
        [when, ...causes.map(({ text }) => text)].join("").replaceAll(" ", "").length,
        description.replaceAll(" ", "").length
      )
    }
  })

  it("finds types by name and by field", () => {
    assert.deepStrictEqual(search(types, "minted"), [{ type: "nft.minted" }])
    assert.deepStrictEqual(search(types, "finished by"), [{ type: "escrow.finished", field: "finished_by" }])
    assert.strictEqual(search(types, "").length, types.length)
    assert.deepStrictEqual(search(types, "sponsor"), [])
  })

  it("has the families in the order of the pictures", () => {
    assert.deepStrictEqual(
      byFamily([...names, "amm.created"], (name) => name).map(([family]) => family),
      ["payment", "dex", "nft", "trustline", "account", "escrow", "check", "amm"]
    )
  })

  it("calls each example by what the others lack, and says what its values mean", () => {
    const schema = { examples: [{ a: 1 }, { a: 1, broker_fee: "5" }, { a: 1 }] }
    assert.deepStrictEqual(
      variantsOf({ schema, example: {} }).map(({ label }) => label),
      ["Example 1", "With broker fee", "Example 3"]
    )
    assert.deepStrictEqual(notesOf({ amount: "9000000", transfer_fee: 5_000, seller: "rX" }), {
      amount: "9 XRP",
      transfer_fee: "5%"
    })
    for (const type of types) assert.deepInclude(variantsOf(type)[0], { payload: type.example })
  })
})

describe("the programs that receive a type", () => {
  it("have its fields by kind, and print some that each event has", () => {
    const fields = typedFields(of("account.deleted"), commonFields(types))
    const kinds = Object.fromEntries(fields.map(({ kind, name }) => [name, kind]))
    assert.deepInclude(kinds, { account: "string", destination_tag: "long", delivered_amount: "string" })
    for (const type of types) {
      const shown = shownFields(typedFields(type, commonFields(types)))
      assert.isNotEmpty(shown)
      for (const name of shown) assert.property(type.example, name)
    }
  })

  it("lose nothing when they are coloured", () => {
    for (const language of languages)
      for (const type of types) {
        const text = snippetOf(language, type.event_type, typedFields(type, commonFields(types)))
        assert.strictEqual(
          codeParts(text)
            .map((part) => part.text)
            .join(""),
          text
        )
        assert.include(text, type.event_type)
      }
    assert.deepStrictEqual(codeParts('return "a" // b'), [
      { is: "word", text: "return" },
      { is: "plain", text: " " },
      { is: "string", text: '"a"' },
      { is: "plain", text: " " },
      { is: "comment", text: "// b" },
      { is: "plain", text: "" }
    ])
  })
})
