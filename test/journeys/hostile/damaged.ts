/** Values of log records that no stage has written: what is no JSON, and copies of a real value with one wrong part. */
import type { Json } from "../../../src/spine/event/Ledger.ts"
import { isJsonObject } from "../../../src/spine/event/NormaliseLedger.ts"

const LARGE = 1024 * 1024

/** No topic has records of this form. A null value is a tombstone on a compacted topic. */
export const noRecords: ReadonlyArray<string> = [
  "",
  " ",
  "no JSON",
  "{",
  "null",
  "7",
  '"text"',
  "[]",
  "{}",
  "[null]",
  '{"__proto__":{"event_id":"x"}}',
  '{"constructor":{"prototype":{}}}',
  "[".repeat(100_000),
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  "x".repeat(LARGE),
  `{"version":99,"value":"${"x".repeat(LARGE)}"}`
]

/** What a field may be given. `undefined` removes it. */
const wrongs: ReadonlyArray<Json | undefined> = [
  undefined,
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 53,
  2 ** 47,
  99,
  "",
  "\0",
  "NaN",
  "__proto__",
  "constructor",
  "x".repeat(10_000),
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "+275760-09-13T00:00:00.001Z",
  [],
  [null],
  {},
  { toString: 1 }
]

export interface Damaged {
  readonly what: string
  readonly value: string
}

/** Copies of the object in which one field of the object, or of an object in it, is wrong or gone. */
export const damagedCopies = (whole: object): ReadonlyArray<Damaged> =>
  Object.entries(whole).flatMap(([name, part]: [string, Json]) => [
    ...wrongs
      .filter((wrong) => JSON.stringify(wrong) !== JSON.stringify(part))
      .map((wrong) => ({
        what: `${name} is ${JSON.stringify(wrong)?.slice(0, 40) ?? "gone"}`,
        value: JSON.stringify({ ...whole, [name]: wrong })
      })),
    ...(isJsonObject(part)
      ? damagedCopies(part).map(({ value, what }) => ({
          what: `${name}.${what}`,
          value: JSON.stringify({ ...whole, [name]: JSON.parse(value) })
        }))
      : [])
  ])
