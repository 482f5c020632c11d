import { assert, describe, it } from "@effect/vitest"
import { includables, withIncluded, withoutIncludable } from "../../../src/spine/event/Include.ts"
import { envelopeJson, eventJson } from "../../../src/spine/event/LedgerEvent.ts"
import { bookedEvent } from "../../support/deliver/bookedEvent.ts"
import { event } from "../../support/deliver/sending.ts"

const MEMOS = `"memos":[{"type":"61","data":"62"}]`
const CHANGES = `"balance_changes":[{"account":"rA","asset":"XRP","change":"-11"},{"account":"rB","asset":{"currency":"USD","issuer":"rA"},"change":"0.5"}]`

/** The JSON of the payload, from its first field of `bookedEvent` on. */
const endOf = (include: ReadonlyArray<"memos" | "balance_changes"> | undefined, of = bookedEvent) =>
  JSON.stringify(withIncluded(of, include).payload).split(`"amount":"1"`)[1]

describe("included fields", () => {
  it("end the payload, in a fixed order, and only if they are asked for", () => {
    for (const none of [undefined, []]) assert.strictEqual(endOf(none), "}")
    assert.strictEqual(endOf(["memos"]), `,${MEMOS}}`)
    assert.strictEqual(endOf(["balance_changes"]), `,${CHANGES}}`)
    for (const both of [includables, includables.toReversed()])
      assert.strictEqual(endOf(both), `,${MEMOS},${CHANGES}}`)
  })

  it("are absent if the event has none, as in records of release 0.2", () => {
    assert.deepStrictEqual(withIncluded(event, includables), event)
  })

  it("say that memos are left out, also if none of them fits a record", () => {
    const cut = { ...bookedEvent, memos_truncated: true } as const
    assert.strictEqual(endOf(["memos"], cut), `,${MEMOS},"memos_truncated":true}`)
    const { memos: _, ...none } = cut
    assert.strictEqual(endOf(["memos"], none), `,"memos_truncated":true}`)
    assert.strictEqual(endOf(["balance_changes"], none), `,${CHANGES}}`)
  })

  it("of a later version are left out", () => {
    assert.strictEqual(endOf(["fees" as "memos", "memos"]), `,${MEMOS}}`)
  })

  it("stand in no other place: neither an envelope nor an event of the API has them beside the payload", () => {
    assert.strictEqual(envelopeJson(bookedEvent, "wh_1"), envelopeJson(event, "wh_1"))
    assert.strictEqual(eventJson(bookedEvent), eventJson(event))
    assert.deepStrictEqual(withoutIncludable(bookedEvent), event)
  })
})
