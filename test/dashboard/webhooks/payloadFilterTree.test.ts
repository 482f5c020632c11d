/** The builder of payload filters: rows and groups, and their JSON, mean the same to the service. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  fieldsOf,
  operatorsOf,
  textOf,
  typedValue
} from "../../../dashboard/src/features/webhooks/form/filter/fields.ts"
import { marksIn } from "../../../dashboard/src/features/webhooks/form/filter/marks.ts"
import {
  filterOf,
  filterText,
  type Group,
  type Item,
  isGroup,
  itemAt,
  newCondition,
  newGroup,
  treeOf,
  unfinished
} from "../../../dashboard/src/features/webhooks/form/filter/tree.ts"
import { eventCatalogue } from "../../../src/spine/event/EventCatalogue.ts"
import { fieldsOf as fieldsOfService } from "../../../src/spine/filter/FilterFields.ts"
import { compileFilter } from "../../../src/spine/filter/Match.ts"
import { parseFilter } from "../../../src/spine/filter/Parse.ts"
import { generator } from "../../support/ledger/misbehavingServer.ts"

const SEED = 20_261_126
const TREES = 300

const rootOf = (filter: object): Group => {
  const read = treeOf(filter)
  if ("because" in read) throw new Error(read.because)
  return read.root
}

/** The service's own rules. */
const matches = (filter: object) =>
  Result.match(parseFilter(filter as Record<string, unknown>, ["payment.xrp"]), {
    onSuccess: compileFilter,
    onFailure: ([problem]) => {
      throw new Error(`${JSON.stringify(filter)}: ${problem.problem}`)
    }
  })

const tags = [1, 2, 3]
const chance = generator(SEED)
const pick = <A>(from: ReadonlyArray<A>): A => from[Math.floor(chance() * from.length)]!

const randomItem = (depth: number): Item => {
  if (depth > 0 && chance() < 0.4) {
    const items = Array.from({ length: 1 + Math.floor(chance() * 3) }, () => randomItem(depth - 1))
    return newGroup(pick(["all", "one", "none"] as const), items)
  }
  const field = pick(["destination_tag", "source_tag"])
  const operator = pick(["$eq", "$ne", "$gte", "$lt", "$in", "$nin", "$exists", "$missing"] as const)
  const value =
    operator === "$in" || operator === "$nin"
      ? [pick(tags), pick(tags)]
      : operator === "$exists" || operator === "$missing"
        ? undefined
        : pick(tags)
  return { ...newCondition(field), operator, value }
}

type Payload = Readonly<Record<string, number>>

/** What the builder says in words. */
const holds = (item: Item, payload: Payload): boolean => {
  if (isGroup(item)) {
    const met = item.items.map((one) => holds(one, payload))
    return item.of === "all" ? met.every(Boolean) : met.some(Boolean) === (item.of === "one")
  }
  const found = payload[item.field]
  const values = [item.value].flat()
  switch (item.operator) {
    case "$exists":
      return found !== undefined
    case "$missing":
      return found === undefined
    case "$eq":
    case "$in":
      return found !== undefined && values.includes(found)
    case "$ne":
    case "$nin":
      return found === undefined || !values.includes(found)
    case "$gte":
      return found !== undefined && found >= Number(item.value)
    default:
      return found !== undefined && found < Number(item.value)
  }
}

const payloads: ReadonlyArray<Payload> = [undefined, ...tags].flatMap((destination_tag) =>
  [undefined, ...tags].map((source_tag) => ({
    ...(destination_tag === undefined ? {} : { destination_tag }),
    ...(source_tag === undefined ? {} : { source_tag })
  }))
)

describe("a filter of rows and groups", () => {
  it(`matches in the service what its rows say, and is the same after a way through its JSON (seed ${SEED})`, () => {
    for (let number = 0; number < TREES; number++) {
      const root = newGroup(
        pick(["all", "one", "none"] as const),
        Array.from({ length: 1 + Math.floor(chance() * 3) }, () => randomItem(2))
      )
      const { filter, places } = filterOf(root)
      const read = treeOf(JSON.parse(filterText(filter)))
      assert.isTrue("root" in read, JSON.stringify(filter))
      const again = "root" in read ? filterOf(read.root).filter : null
      const [one, two] = [matches(filter!), matches(again!)]
      for (const payload of payloads) {
        const event = { event_type: "payment.xrp", payload }
        assert.strictEqual(one(event), holds(root, payload), JSON.stringify({ filter, payload }))
        assert.strictEqual(two(event), holds(root, payload), JSON.stringify({ again, payload }))
      }
      for (const place of places.keys()) {
        const at = place
          .split("/")
          .slice(1)
          .reduce<unknown>((value, key) => Object(value)[key], filter)
        assert.isDefined(at, place)
      }
    }
  })

  it("shows every example of the documentation", () => {
    for (const filter of [
      { amount: { $gte: "1000000" }, destination_tag: { $in: [7, 8] } },
      { destination_tag: 7 },
      { destination_tag: { $exists: true, $ne: 7 } },
      { issuer: "rPP", $or: [{ amount: { $gte: "50000000" } }, { "amount.value": { $gt: "0" } }] },
      { "changes.field": { $in: ["freeze"] }, "changes.value": true, $not: { changed_by: "rhQ" } },
      { $and: [{ $or: [{ a: 1 }, { b: 2, c: 3 }] }, { $or: [{ d: 4 }] }] }
    ]) {
      assert.isTrue("root" in treeOf(filter), JSON.stringify(filter))
    }
    assert.strictEqual(filterOf(rootOf({ $or: [{ a: 1 }, { b: 2 }] })).filter !== null, true)
    assert.strictEqual(rootOf({ $or: [{ a: 1 }, { b: 2 }] }).of, "one")
  })

  it("says why the builder cannot show others", () => {
    for (const [filter, says] of [
      [{ amount: { $regex: "1" } }, /no operator \$regex/],
      [{ $xor: [] }, /no operator \$xor/],
      [{ amount: null }, /amount has a value/],
      [{ amount: { $in: 7 } }, /amount \$in has a value/],
      [{ amount: {} }, /amount has no operator/],
      [{ $or: {} }, /\$or needs a list/],
      [{ $or: [7] }, /must be an object/]
    ] as const) {
      const read = treeOf(filter)
      assert.match("because" in read ? read.because : "", says)
    }
  })

  it("leaves out what is not finished", () => {
    const root = newGroup("all", [
      newCondition(),
      newCondition("amount"),
      newGroup("one", [newCondition("a")])
    ])
    assert.isNull(filterOf(root).filter)
    assert.strictEqual(unfinished(root).length, 3)
  })

  it("finds the row of a fault", () => {
    const filter = { a: { $gte: 1 }, $or: [{ b: 2 }, { "c.d": { $in: [3, 4] }, e: 5 }] }
    for (const { root, places } of [
      treeOf(filter),
      { root: rootOf(filter), ...filterOf(rootOf(filter)) }
    ] as const as ReadonlyArray<{ root: Group; places: ReadonlyMap<string, number> }>) {
      const at = (pointer: string) => {
        const id = itemAt(places, pointer)
        const all = (item: Item): ReadonlyArray<Item> =>
          isGroup(item) ? [item, ...item.items.flatMap(all)] : [item]
        return places === undefined ? undefined : [...all(root)].find((item) => item.id === id)
      }
      if (at("/a") === undefined) continue
      assert.propertyVal(at("/a"), "field", "a")
      assert.propertyVal(at("/$or/0/b"), "field", "b")
      assert.propertyVal(at("/$or/1/c.d/$in/1"), "field", "c.d")
    }
  })

  it("is written with short parts on one line", () => {
    assert.strictEqual(
      filterText({
        destination_tag: { $in: [4009078, 4009079] },
        $or: [{ amount: { $gte: "1000000000" } }, { b: 1 }]
      }),
      [
        "{",
        '  "destination_tag": {',
        '    "$in": [4009078, 4009079]',
        "  },",
        '  "$or": [',
        "    {",
        '      "amount": { "$gte": "1000000000" }',
        "    },",
        '    { "b": 1 }',
        "  ]",
        "}"
      ].join("\n")
    )
    assert.strictEqual(filterText({}), "{}")
  })
})

describe("the fields of a filter", () => {
  it("are those that the service accepts, for every event type", () => {
    for (const { event_type, schema } of eventCatalogue()) {
      const fields = fieldsOf([{ event_type, schema }])
      const service = [...fieldsOfService(event_type)].filter(
        ([, form]) => form.numbers || form.booleans || form.texts !== "none"
      )
      assert.deepStrictEqual([...fields.keys()].sort(), service.map(([path]) => path).sort(), event_type)
    }
  })

  it("have a kind, and the types that have them", () => {
    const fields = fieldsOf(eventCatalogue().filter(({ event_type }) => event_type.startsWith("payment.")))
    const about = (path: string) => [fields.get(path)?.kind, fields.get(path)?.types]
    assert.deepStrictEqual(about("amount"), ["drops", ["payment.xrp"]])
    assert.deepStrictEqual(about("amount.value"), ["number", ["payment.issued"]])
    assert.strictEqual(fields.get("destination_tag")?.kind, "integer")
    assert.strictEqual(fields.get("sender")?.kind, "address")
    assert.notInclude(operatorsOf("address"), "$gte")
  })

  it("take what is typed, and store what the API has", () => {
    assert.strictEqual(typedValue("drops", "1 000.5"), "1000500000")
    assert.strictEqual(typedValue("drops", "0.000001"), "1")
    assert.isUndefined(typedValue("drops", "0.0000001"))
    assert.isUndefined(typedValue("drops", "-1"))
    assert.strictEqual(textOf("drops", "1000500000"), "1000.5")
    assert.strictEqual(textOf("drops", "1"), "0.000001")
    assert.strictEqual(typedValue("integer", "4 009 078"), 4009078)
    assert.isUndefined(typedValue("integer", "9007199254740993"))
    assert.strictEqual(typedValue("number", "1.5e3"), "1.5e3")
    assert.isUndefined(typedValue("number", "abc"))
    assert.strictEqual(typedValue("boolean", "false"), false)
    assert.strictEqual(typedValue("mixed", "7"), 7)
    assert.isUndefined(typedValue("text", "  "))
    assert.strictEqual(textOf("time", String(typedValue("time", "2026-11-21T09:30"))), "2026-11-21T09:30")
  })
})

describe("the marks of an event", () => {
  it("are the fields that meet a condition", () => {
    const payload = { amount: "2500000000", destination_tag: 7, changes: [{ field: "freeze" }] }
    const fields = (filter: object) => marksIn(rootOf(filter), payload).map(({ field }) => field)
    assert.deepStrictEqual(fields({ amount: { $gte: "1000" }, destination_tag: { $in: [8, 9] } }), ["amount"])
    assert.deepStrictEqual(fields({ $or: [{ amount: { $lt: "3" } }, { "changes.field": "freeze" }] }), [
      "changes.field"
    ])
    assert.deepStrictEqual(fields({ $not: { destination_tag: 8 }, memo: { $exists: false } }), [])
  })
})
