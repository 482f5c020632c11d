/** Payload filters against a naive evaluator of the documented language, and the comparisons that floating point gets wrong. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type EventType, eventTypes } from "../../../src/spine/event/EventType.ts"
import { publishedSchemas } from "../../../src/spine/event/JsonSchemas.ts"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import { compileFilter } from "../../../src/spine/filter/Match.ts"
import { parseFilter } from "../../../src/spine/filter/Parse.ts"
import { generator } from "../../support/ledger/misbehavingServer.ts"

const SEED = 11
const FILTERS = 1_500

type Given = Readonly<Record<string, unknown>>
interface Asked {
  readonly event_type: EventType
  readonly payload: JsonObject
}

const matches = (filter: Given, event: Asked): boolean =>
  compileFilter(Result.getOrThrow(parseFilter(filter, eventTypes)))(event)

// --- The naive evaluator implements docs/payload-filters.md and shares only the lists of fields with the program.

/** The last part of a path whose texts are numbers. */
const numeric = new Set(
  "amount,value,limit,limit_peer,balance,previous_limit,initial_balance,delivered_amount,taker_gets,taker_pays,requested_taker_gets,requested_taker_pays,filled_taker_gets,filled_taker_pays,remaining_taker_gets,remaining_taker_pays,send_max,broker_fee".split(
    ","
  )
)
const times = new Set(["expiration", "finish_after", "cancel_after"])

const kindOf = (type: EventType, field: string): "number" | "time" | "text" => {
  const last = field.split(".").at(-1)!
  if (field === "changes.value" || field === "changes.previous")
    return type === "trustline.modified" ? "number" : "text"
  return times.has(last) ? "time" : numeric.has(last) ? "number" : "text"
}

/** A number as numerator over a power of ten, by whole numbers only. */
const SCALE = 700
const wholes = (text: string): bigint | undefined => {
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined
  const [mantissa, exponent = "0"] = text.toLowerCase().split("e")
  const [whole, fraction = ""] = mantissa!.split(".")
  return BigInt(whole + fraction) * 10n ** BigInt(SCALE + Number(exponent) - fraction.length)
}

const reached = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value.flatMap((one) => reached(one, path))
  const [name, ...rest] = path
  if (name === undefined) return value === undefined ? [] : [value]
  return typeof value === "object" && value !== null ? reached((value as Given)[name], rest) : []
}

/** Undefined: they cannot be compared. */
const order = (kind: string, value: unknown, operand: unknown): number | undefined => {
  if (typeof value === "object" || typeof value === "boolean") return undefined
  if (kind === "time") {
    if (typeof value !== "string" || typeof operand !== "string") return undefined
    const difference = new Date(value).getTime() - new Date(operand).getTime()
    return Number.isNaN(difference) ? undefined : difference
  }
  if (typeof value === "string" && kind !== "number") return undefined
  if (typeof operand === "boolean") return undefined
  const [a, b] = [wholes(String(value)), wholes(String(operand))]
  return a === undefined || b === undefined ? undefined : a < b ? -1 : a > b ? 1 : 0
}

const equal = (kind: string, value: unknown, operand: unknown): boolean =>
  typeof value === "boolean" || (typeof value === "string" && kind === "text")
    ? value === operand
    : order(kind, value, operand) === 0

const naive = (filter: Given, event: Asked): boolean =>
  Object.entries(filter).every(([name, given]) => {
    if (name === "$and") return (given as ReadonlyArray<Given>).every((one) => naive(one, event))
    if (name === "$or") return (given as ReadonlyArray<Given>).some((one) => naive(one, event))
    if (name === "$not") return !naive(given as Given, event)
    const kind = kindOf(event.event_type, name)
    const values = reached(event.payload, name.split("."))
    const comparisons = typeof given === "object" ? Object.entries(given as Given) : [["$eq", given] as const]
    const some = (test: (value: unknown) => boolean) => values.some(test)
    const ordered = (operand: unknown, wanted: (order: number) => boolean) =>
      some((value) => {
        const found = order(kind, value, operand)
        return found !== undefined && wanted(found)
      })
    const among = (operand: unknown) =>
      some((value) => (operand as ReadonlyArray<unknown>).some((one) => equal(kind, value, one)))
    return comparisons.every(([comparison, operand]) => {
      switch (comparison) {
        case "$eq":
          return some((value) => equal(kind, value, operand))
        case "$ne":
          return !some((value) => equal(kind, value, operand))
        case "$in":
          return among(operand)
        case "$nin":
          return !among(operand)
        case "$gt":
          return ordered(operand, (found) => found > 0)
        case "$gte":
          return ordered(operand, (found) => found >= 0)
        case "$lt":
          return ordered(operand, (found) => found < 0)
        case "$lte":
          return ordered(operand, (found) => found <= 0)
        case "$exists":
          return values.length > 0 === operand
        default:
          return assert.fail(comparison)
      }
    })
  })

// --- Random payloads and filters.

const examples: ReadonlyArray<Asked> = publishedSchemas().flatMap(({ path, document }) => {
  const type = eventTypes.find((one) => path === `payloads/${one}.schema.json`)
  return type === undefined
    ? []
    : (document["examples"] as ReadonlyArray<JsonObject>).map((payload) => ({ event_type: type, payload }))
})

/** Numbers close together and far apart, each in several notations. */
const numbers = [
  ..."0,-0,0.0,1,1.0,10e-1,1e0,-1,17310000,17310000.0,1731e4,17310001,9007199254740992,9007199254740993".split(
    ","
  ),
  ..."99999999999999999,100000000000000000,1e17,9999999999999999e80,1000000000000000e-96,410.84,41084e-2".split(
    ","
  ),
  ..."-2,-17310000,-99999999999999999,-1e-5,0.1,0.10000000000000000001,-410.84,000410.84,1005000000,4009078".split(
    ","
  )
]

const makeChance = (seed: number) => {
  const chance = generator(seed)
  const pick = <A>(from: ReadonlyArray<A>): A => from[Math.floor(chance() * from.length)]!

  const varied = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter(() => chance() < 0.8).map(varied)
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).flatMap(([key, inner]) => (chance() < 0.1 ? [] : [[key, varied(inner)]]))
      )
    if (chance() < 0.6) return value
    if (typeof value === "boolean") return chance() < 0.5
    if (typeof value === "number") return pick([0, 1, 7, 4_009_078, 4_294_967_295])
    return /^-?[\d.e-]+$/.test(String(value)) && String(value).length < 30 ? pick(numbers) : value
  }
  const event = (): Asked => {
    const { event_type, payload } = pick(examples)
    return { event_type, payload: varied(payload) as JsonObject }
  }

  /** Paths of what the payload holds, with the values. */
  const leaves = (value: unknown, path: string): ReadonlyArray<readonly [string, unknown]> =>
    Array.isArray(value)
      ? value.flatMap((one) => leaves(one, path))
      : typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`))
        : [[path, value]]

  const operand = (value: unknown): unknown =>
    chance() < 0.5
      ? value
      : typeof value === "boolean"
        ? chance() < 0.5
        : pick<unknown>([...numbers, 0, 7, value])
  const condition = (): Given => {
    const [field, value] = pick(leaves(pick(examples).payload, ""))
    const one = (): readonly [string, unknown] => {
      const comparison = pick(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists"])
      if (comparison === "$exists") return [comparison, chance() < 0.5]
      if (comparison === "$in" || comparison === "$nin")
        return [comparison, Array.from({ length: 1 + Math.floor(chance() * 3) }, () => operand(value))]
      return [comparison, operand(value)]
    }
    return {
      [field]: chance() < 0.2 ? operand(value) : Object.fromEntries(chance() < 0.3 ? [one(), one()] : [one()])
    }
  }
  const filter = (depth = 0): Given => {
    const kind = chance()
    if (depth > 2 || kind < 0.5) return { ...condition(), ...(chance() < 0.3 ? condition() : {}) }
    if (kind < 0.65) return { $not: filter(depth + 1) }
    const of = Array.from({ length: 1 + Math.floor(chance() * 3) }, () => filter(depth + 1))
    return { [kind < 0.8 ? "$and" : "$or"]: of, ...(chance() < 0.2 ? condition() : {}) }
  }
  return { event, filter }
}

describe("a payload filter", () => {
  it(`agrees with a naive evaluator on any payload (${FILTERS} filters by chance, seed ${SEED})`, () => {
    const { event, filter } = makeChance(SEED)
    const events = Array.from({ length: 300 }, event)
    let asked = 0
    let matched = 0
    for (let i = 0; i < FILTERS; i++) {
      const given = filter()
      const parsed = parseFilter(given, eventTypes)
      // The generator also makes comparisons that are refused, such as a text with a number.
      if (Result.isFailure(parsed)) continue
      const wants = compileFilter(parsed.success)
      for (const one of events) {
        const expected = naive(given, one)
        asked++
        if (expected) matched++
        if (wants(one) !== expected)
          assert.fail(`${JSON.stringify(given)} ${JSON.stringify(one)}: ${!expected}`)
      }
    }
    assert.isAbove(asked, FILTERS * 75)
    assert.isAbove(matched, asked / 20)
    assert.isBelow(matched, asked / 1.05)
  })

  const xrp = (amount: unknown): Asked => ({ event_type: "payment.xrp", payload: { amount } as JsonObject })

  it("compares numbers exactly where floating point does not", () => {
    assert.isFalse(matches({ amount: "9007199254740993" }, xrp("9007199254740992")))
    assert.isTrue(matches({ amount: { $gt: "9007199254740992" } }, xrp("9007199254740993")))
    assert.isFalse(matches({ amount: { $gt: "99999999999999999" } }, xrp("99999999999999999")))
    assert.isTrue(matches({ amount: { $eq: "1e17" } }, xrp("100000000000000000")))
    assert.isTrue(matches({ amount: { $in: ["1.5e1", 7] } }, xrp("15")))
    assert.isTrue(matches({ amount: { $lt: 0 } }, xrp("-1")))
    assert.isTrue(matches({ amount: 0 }, xrp("-0")))
    const rising = ["-1e3", "-999.5", "-10", "-9", "-0.5", "0", "1e-9", "0.5", "9", "10", "999.5", "1e3"]
    for (const [i, small] of rising.entries()) {
      for (const [j, large] of rising.entries())
        assert.strictEqual(matches({ amount: { $lt: large } }, xrp(small)), i < j, `${small} < ${large}`)
    }
    assert.isFalse(matches({ amount: { $lt: 10 } }, xrp("9.99999999999999999999e99")))
  })

  it("compares texts letter by letter also where they look like numbers", () => {
    const issued = (currency: string): Asked => ({
      event_type: "payment.issued",
      payload: { amount: { currency, issuer: "r", value: "1" } }
    })
    assert.isTrue(matches({ "amount.currency": "1e2" }, issued("1e2")))
    assert.isFalse(matches({ "amount.currency": "1e2" }, issued("100")))
  })

  it("counts a comparison as not met if the event lacks the field", () => {
    const none: Asked = { event_type: "account.created", payload: {} }
    for (const comparison of ["$eq", "$gt", "$gte", "$lt", "$lte"])
      assert.isFalse(matches({ destination_tag: { [comparison]: 0 } }, none))
    assert.isFalse(matches({ destination_tag: { $in: [0] } }, none))
    assert.isTrue(matches({ destination_tag: { $ne: 0, $nin: [1], $exists: false } }, none))
    assert.isTrue(matches({ $not: { destination_tag: 0 } }, none))
    assert.isFalse(matches({ destination_tag: { $exists: true, $ne: 0 } }, none))
  })

  it("treats an event of an unknown type as one without fields", () => {
    const wants = compileFilter(Result.getOrThrow(parseFilter({ amount: { $exists: false } }, eventTypes)))
    assert.isTrue(wants({ event_type: "payment.gold", payload: { amount: "1" } }))
  })

  it("never throws, whatever a payload contains", () => {
    let deep: unknown = "1"
    for (let i = 0; i < 100_000; i++) deep = [deep]
    const strange = [
      deep,
      null,
      {},
      [],
      { value: { value: 1 } },
      "NaN",
      "1e999999",
      "1e99999999",
      "\ud800",
      true
    ]
    for (const filter of [{ amount: { $gt: 1 } }, { amount: 1 }, { "amount.value": { $in: [1, "2"] } }]) {
      for (const amount of strange) assert.isBoolean(matches(filter, xrp(amount)))
    }
  })
})
