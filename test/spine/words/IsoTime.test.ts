import { assert, describe, it } from "@effect/vitest"
import { parseIsoTime } from "../../../src/spine/words/IsoTime.ts"

const noon = Date.UTC(2026, 10, 21, 12)

describe("parseIsoTime", () => {
  it.each([
    ["2026-11-21T12:00:00Z", noon],
    ["2026-11-21T12:00Z", noon],
    ["2026-11-21T12:00:00.000Z", noon],
    ["2026-11-21T12:00:00.123456Z", noon + 123.456],
    ["2026-11-21T13:30:00+01:30", noon],
    ["2026-11-21T13:30:00 01:30", noon],
    ["2026-11-21T13:30:00+0130", noon],
    ["2026-11-20T23:00:00.5-13:00", noon + 500],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["1969-12-31T23:59:59Z", -1_000]
  ])("%s", (text, expected) => assert.closeTo(parseIsoTime(text)!, expected, 0.001))

  it.each([
    "",
    "2026-11-21",
    "2026-11-21T12:00:00",
    "2026-11-21 12:00:00Z",
    "2026-11-21T12Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-11-31T00:00:00Z",
    "2026-11-21T24:00:00Z",
    "2026-11-21T12:60:00Z",
    "2026-11-21T12:00:60Z",
    "2026-11-21T12:00:00+24:00",
    "2026-11-21T12:00:00z",
    "1763726400"
  ])("refuses %j", (text) => assert.isUndefined(parseIsoTime(text)))
})
