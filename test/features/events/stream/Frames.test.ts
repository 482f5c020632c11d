import { assert, describe, it } from "@effect/vitest"
import { streamEventOf, textWith } from "../../../../src/features/events/stream/Frames.ts"
import { includables, withIncluded } from "../../../../src/spine/event/Include.ts"
import { eventJson, type LedgerEvent } from "../../../../src/spine/event/LedgerEvent.ts"
import { bookedEvent } from "../../../support/deliver/bookedEvent.ts"
import { event } from "../../../support/deliver/sending.ts"

const streamed = (of: LedgerEvent) =>
  streamEventOf({
    topic: "xrpl.mainnet.events",
    partition: 0,
    offset: 7,
    key: "mainnet",
    value: JSON.stringify(of),
    headers: {},
    timestamp: 0
  })!

describe("the text of an event in a stream", () => {
  it("has the event as the API shows it, with the fields that the stream asks for", () => {
    for (const of of [event, bookedEvent, { ...bookedEvent, memos_truncated: true } as const])
      for (const include of [[], ["memos"], ["balance_changes"], includables] as const)
        assert.strictEqual(
          textWith(streamed(of), include),
          `id: ${of.event_id}\nevent: payment.xrp\ndata: ${eventJson(withIncluded(of, include))}\n\n`
        )
  })
})
