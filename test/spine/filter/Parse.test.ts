/** Valid payload filters, and the sentence that refuses each invalid one. Parsing is quick and never throws. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type EventType, eventTypes } from "../../../src/spine/event/EventType.ts"
import { fieldsOf } from "../../../src/spine/filter/FilterFields.ts"
import { filterProblems, parseFilter } from "../../../src/spine/filter/Parse.ts"
import { filterBounds } from "../../../src/spine/filter/PayloadFilter.ts"
import { sentenceOf } from "../../../src/spine/words/Nearest.ts"

const ADDRESS = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
const HASH = "C6AD4F3C7A5B5B3C9D2B7F0E1A8D64E5B1F2A3C4D5E6F708192A3B4C5D6E7F80"

const accepted: ReadonlyArray<readonly [unknown, ReadonlyArray<EventType>]> = [
  [{ amount: "1000000" }, ["payment.xrp"]],
  [{ amount: 1_000_000 }, ["payment.xrp"]],
  [{ amount: { $gte: "1e-96", $lt: "9999999999999999e80" } }, ["payment.xrp"]],
  [{ "amount.value": { $gt: "0.5" }, "amount.currency": "USD" }, ["payment.issued"]],
  [{ amount: { $gt: 5 }, "amount.value": { $gt: 5 } }, ["nft.offer_accepted"]],
  [{ sender: { $in: [ADDRESS] }, destination_tag: { $nin: [7, "8"] } }, ["payment.xrp"]],
  [{ $or: [{ destination_tag: { $exists: false } }, { $not: { tx_hash: HASH } }] }, eventTypes],
  [{ $and: [{ "changes.setting": "domain" }, { "changes.value": "AB" }] }, ["account.settings_changed"]],
  [{ "changes.value.signers.account": ADDRESS }, ["account.settings_changed"]],
  [{ changes: { $exists: true } }, ["trustline.modified"]],
  [{ "changes.value": { $in: [true, "100", 5] } }, ["trustline.modified"]],
  [{ expiration: { $lt: "2026-11-21T10:30:00.5+01:00" } }, ["dex.offer_created"]],
  [{ reason: { $ne: "expired" } }, ["check.cancelled"]],
  // One of the webhook's types has the field.
  [{ transfer_fee: { $gt: 100 } }, ["payment.xrp", "nft.minted"]]
]

const refused: ReadonlyArray<readonly [unknown, ReadonlyArray<EventType>, RegExp]> = [
  [null, ["payment.xrp"], /^ must be an object of conditions$/],
  [[], ["payment.xrp"], /^ must be an object of conditions$/],
  ["amount", ["payment.xrp"], /^ must be an object of conditions$/],
  [{}, ["payment.xrp"], /^ must contain at least one condition; null is no filter$/],
  [
    { destination_tg: 7 },
    ["payment.xrp"],
    /^destination_tg is not a field of these events; did you mean destination_tag\?$/
  ],
  [
    { "amount.val": 7 },
    ["payment.issued"],
    /^amount\.val is not a field of these events; did you mean amount\.value\?$/
  ],
  [
    { taxon: 7 },
    ["payment.xrp"],
    /^taxon is not a field of the event types asked for; these have it: nft\.minted, nft\.burned$/
  ],
  [JSON.parse('{"__proto__": {"$gt": 1}}'), ["payment.xrp"], /^__proto__ is not a field/],
  [{ constructor: "x" }, ["payment.xrp"], /^constructor is not a field/],
  [{ "amount.constructor": "x" }, ["payment.issued"], /^amount\.constructor is not a field/],
  [{ "": 1 }, ["payment.xrp"], /^ is not a field/],
  [{ "\ud800": 1 }, ["payment.xrp"], /^\\ud800 is not a field/],
  [{ ["a".repeat(100_000)]: 1 }, ["payment.xrp"], /^a{60}… is not a field/],
  [
    { $nor: [{ amount: 1 }] },
    ["payment.xrp"],
    /^\$nor must be \$and, \$or, \$not or the name of a field; did you mean \$or\?$/
  ],
  [{ $and: [] }, ["payment.xrp"], /^\$and must be a list of at least one filter$/],
  [{ $or: { amount: 1 } }, ["payment.xrp"], /^\$or must be a list/],
  [{ $or: [{ amount: 1 }, {}] }, ["payment.xrp"], /^\$or\.1 must contain at least one condition/],
  [{ $not: [{ amount: 1 }] }, ["payment.xrp"], /^\$not must be an object/],
  [{ amount: {} }, ["payment.xrp"], /^amount must contain a comparison, as \$gte$/],
  [{ amount: [1, 2] }, ["payment.xrp"], /^amount must not be a list; \$in compares/],
  [{ amount: { $regex: "1" } }, ["payment.xrp"], /^amount\.\$regex is not an operator; accepted: \$eq, \$ne/],
  [{ amount: { value: "1" } }, ["payment.issued"], /^amount\.value is not an operator.*write amount\.value$/],
  [{ amount: { $not: { $gt: 1 } } }, ["payment.xrp"], /^amount\.\$not must stand before the field/],
  [{ amount: null }, ["payment.xrp"], /^amount must not be null; .*"\$exists": false/],
  [{ amount: { $in: [] } }, ["payment.xrp"], /^amount\.\$in must be a list of 1 to 200 values$/],
  [{ amount: { $in: "1" } }, ["payment.xrp"], /^amount\.\$in must be a list/],
  [{ amount: { $in: new Array(201).fill(1) } }, ["payment.xrp"], /^amount\.\$in must be a list of 1 to 200/],
  [{ amount: { $in: [1, "one"] } }, ["payment.xrp"], /^amount\.\$in\.1 must be a number/],
  [{ amount: { $in: [[1]] } }, ["payment.xrp"], /^amount\.\$in\.0 must be a text, a number, true or false$/],
  [{ amount: { $exists: 1 } }, ["payment.xrp"], /^amount\.\$exists must be true or false$/],
  [{ amount: 0.1 }, ["payment.xrp"], /^amount must be written as a text, because/],
  [{ amount: 2 ** 53 }, ["payment.xrp"], /^amount must be written as a text/],
  [{ amount: Number.POSITIVE_INFINITY }, ["payment.xrp"], /^amount must be written as a text/],
  ...[
    "NaN",
    "Infinity",
    "",
    " 1",
    "1 ",
    "+1",
    "0x10",
    "1_000",
    ".5",
    "5.",
    "1e",
    "1e9999999",
    "١",
    "1,5"
  ].map(
    (text) =>
      [{ amount: text }, ["payment.xrp"], /^amount must be a number: an integer, or a decimal/] as const
  ),
  [{ amount: "1".repeat(301) }, ["payment.xrp"], /^amount must be a number/],
  [{ amount: "1".repeat(1_025) }, ["payment.xrp"], /^amount must have at most 1024 characters$/],
  [{ amount: true }, ["payment.xrp"], /^amount must be a number/],
  [{ amount: "1" }, ["payment.issued"], /^amount is an object and cannot be compared; name one of its/],
  [
    { sender: "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxY" },
    ["payment.xrp"],
    /^sender must be a text of the form Address, as "r/
  ],
  [{ sender: "\ud800" }, ["payment.xrp"], /^sender must be a text of the form Address/],
  [{ sender: 5 }, ["payment.xrp"], /^sender must be a text of the form Address/],
  [{ sender: { $gt: ADDRESS } }, ["payment.xrp"], /^sender\.\$gt compares only numbers and times/],
  [{ tx_hash: HASH.toLowerCase() }, ["payment.xrp"], /^tx_hash must be a text of the form Hash/],
  [
    { reason: "canceled" },
    ["check.cancelled"],
    /^reason must be "cancelled" or "expired"; did you mean cancelled\?$/
  ],
  [{ is_sell: "true" }, ["dex.offer_created"], /^is_sell must be true or false$/],
  [{ is_sell: { $gt: true } }, ["dex.offer_created"], /^is_sell\.\$gt compares only numbers and times/],
  [{ expiration: "2026-11-21" }, ["dex.offer_created"], /^expiration must be an ISO 8601 date-time/],
  [{ expiration: { $gt: 5 } }, ["dex.offer_created"], /^expiration\.\$gt must be an ISO 8601 date-time/]
]

const said = (given: unknown, types: ReadonlyArray<EventType>) => {
  const [wrong] = filterProblems(given, types)
  return wrong && sentenceOf(wrong.path.join("."), wrong).replace(/\.$/, "")
}

const nested = (depth: number): unknown => (depth === 0 ? { amount: 1 } : { $not: nested(depth - 1) })
const wide = (conditions: number) => ({
  $or: Array.from({ length: conditions }, (_, i) => ({ destination_tag: i }))
})

describe("a payload filter", () => {
  it("is accepted when it fits one of its event types", () => {
    for (const [filter, types] of accepted) assert.isUndefined(said(filter, types), JSON.stringify(filter))
  })

  it("is accepted as the document shows it", () => {
    const text = readFileSync("docs/payload-filters.md", "utf8")
    const shown = Array.from(text.matchAll(/```json\n(.*?)```/gs), ([, json]) => JSON.parse(json!))
    assert.isAtLeast(shown.length, 5)
    for (const filter of shown) assert.isUndefined(said(filter, eventTypes), JSON.stringify(filter))
  })

  for (const [filter, types, message] of refused)
    it(`is refused: ${JSON.stringify(filter).slice(0, 70)}`, () => {
      assert.match(said(filter, types) ?? "accepted", message)
    })

  it("is bounded in comparisons, depth and size", () => {
    assert.isUndefined(said(wide(filterBounds.conditions), ["payment.xrp"]))
    assert.match(said(wide(filterBounds.conditions + 1), ["payment.xrp"])!, /at most 50 comparisons$/)
    assert.isUndefined(said(nested(filterBounds.depth), ["payment.xrp"]))
    assert.match(said(nested(filterBounds.depth + 1), ["payment.xrp"])!, /at most 8 of \$and, \$or and \$not/)
    const long = { "changes.value": { $in: new Array(20).fill("AB".repeat(500)) } }
    assert.match(said(long, ["account.settings_changed"])!, /at most 16384 characters as JSON$/)
  })

  it("is refused without harm when it is very deep or very wide", () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = { $not: deep }
    let deepValue: unknown = 1
    for (let i = 0; i < 100_000; i++) deepValue = [deepValue]
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, i]))
    for (const given of [
      deep,
      { amount: { $in: [deepValue] } },
      fields,
      { $or: new Array(100_000).fill({ amount: 1 }) }
    ])
      assert.isNotEmpty(filterProblems(given, eventTypes))
    assert.strictEqual(Object.getPrototypeOf({}), Object.prototype)
  })

  it("knows in each event type one kind of text for each field", () => {
    for (const type of eventTypes) {
      for (const [field, form] of fieldsOf(type)) {
        assert.strictEqual(form.texts === "text", form.textForms.length > 0, `${type} ${field}`)
        assert.isTrue(
          form.numbers || form.booleans || form.objects || form.texts !== "none",
          `${type} ${field}`
        )
      }
    }
    // No field of the schemas is missing: each event type has its transaction.
    assert.isTrue(eventTypes.every((type) => fieldsOf(type).get("tx_hash")?.texts === "text"))
  })

  it("is returned as it was checked", () => {
    assert.deepStrictEqual(
      parseFilter({ amount: { $gte: "5" }, $not: { destination_tag: { $in: [7, 8] } } }, ["payment.xrp"]),
      Result.succeed({
        is: "all",
        of: [
          { is: "condition", field: "amount", comparison: "$gte", operands: ["5"] },
          {
            is: "not",
            of: { is: "condition", field: "destination_tag", comparison: "$in", operands: [7, 8] }
          }
        ]
      } as const)
    )
  })
})
