/**
 * The vectors of schemas/detection: what they expect is written by hand, so a fault of the detector shows here. Our own
 * detector gives every expected byte in every form; a detector with a mistake is caught.
 */
import { assert, describe, it } from "@effect/vitest"
import { compare } from "../../../../src/features/ledgerTools/conformance/Compare.ts"
import {
  type Form,
  forms,
  readVectors,
  type Vector
} from "../../../../src/features/ledgerTools/conformance/Vectors.ts"
import { recordedItems } from "../../../../src/features/ledgerTools/RecordedData.ts"
import { detectLedger } from "../../../../src/spine/detect/Detect.ts"
import { alertCodes } from "../../../../src/spine/event/AlertCode.ts"
import { eventTypes } from "../../../../src/spine/event/EventType.ts"
import type { Ledger } from "../../../../src/spine/event/Ledger.ts"
import { type Detector, mistakes } from "../../../support/ledger/mistakes.ts"

const vectors = readVectors()
const byName = new Map(vectors.map((vector) => [vector.name, vector]))

const ledgerOf = ({ input, name }: Vector, form: Form): Ledger => {
  const [item] = recordedItems(input[form]!)
  if (item?._tag !== "Recorded") throw new Error(`${name} (${form}): ${item?.message}`)
  return item.ledger
}
const formsOf = ({ input }: Vector) => forms.filter((form) => input[form] !== undefined)

/** What is wrong with the detector's answer to each form. */
const wrong = (vector: Vector, detector: Detector, only: ReadonlyArray<Form> = formsOf(vector)) =>
  only.flatMap((form) =>
    // Types of events and alerts are narrower than JSON.
    compare(vector, detector(ledgerOf(vector, form), vector.network) as never).map((one) => ({
      form,
      ...one
    }))
  )

describe("the conformance vectors", () => {
  it.each([...byName.keys()])("are what our own detector answers: %s", (name) => {
    assert.deepStrictEqual(wrong(byName.get(name)!, detectLedger), [])
  })

  it("show payloads byte for byte, with their keys in the published order", () => {
    for (const vector of vectors)
      for (const form of formsOf(vector))
        assert.deepStrictEqual(
          detectLedger(ledgerOf(vector, form), vector.network).events.map(({ payload }) =>
            JSON.stringify(payload)
          ),
          vector.events.map(({ payload }) => JSON.stringify(payload)),
          `${vector.name} (${form})`
        )
  })

  it("are at least 150 under different names, and show every event type and alert code", () => {
    assert.isAtLeast(vectors.length, 150)
    assert.lengthOf([...byName], vectors.length)
    const types = new Set(vectors.flatMap(({ events }) => events.map((event) => event["event_type"])))
    assert.sameMembers([...types], [...eventTypes])
    const codes = new Set(vectors.flatMap(({ alerts }) => alerts.map((alert) => alert["code"])))
    // A violation of a schema is a fault of the detector, so no ledger can show it.
    assert.sameMembers([...codes, "schema_violation"], Object.keys(alertCodes))
  })

  it("have every form in which their case can exist", () => {
    // A field that cannot be read, a type that nobody knows, or what only the API adds has no bytes.
    const withoutBytes = vectors.filter(({ input }) => input.binary === undefined).map(({ name }) => name)
    assert.isAtMost(withoutBytes.length, 15)
    for (const { input, name } of vectors) assert.isTrue("v1" in input && "v2" in input, name)
  })
})

describe("a detector with a mistake", () => {
  it.each(Object.entries(mistakes))("is caught: %s", (_, mistaken) => {
    const passed = vectors.filter((vector) => wrong(vector, detectLedger, ["v2"]).length === 0)
    assert.isTrue(passed.some((vector) => wrong(vector, mistaken, ["v2"]).length > 0))
  })
})
