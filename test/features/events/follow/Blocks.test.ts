/** Server-sent events, however they are cut into pieces. */

import { assert, describe, it } from "@effect/vitest"
import { makeBlockReader } from "../../../../src/features/events/follow/Blocks.ts"
import { terminalLimits } from "../../../../src/terminal/Limits.ts"

const TEXT =
  ': keep-alive\nid: 1\n\nid: 2\r\nevent: payment.xrp\r\ndata: {"a": "b: c"}\r\n\r\ndata:x\ndata: y\n\n'

const BLOCKS = [
  { event: "message", id: "1", data: undefined },
  { event: "payment.xrp", id: "2", data: '{"a": "b: c"}' },
  { event: "message", id: undefined, data: "x\ny" }
]

describe("a reader of server-sent events", () => {
  it("gives the same blocks wherever the text is cut", () => {
    for (let cut = 0; cut <= TEXT.length; cut++) {
      const read = makeBlockReader()
      assert.deepStrictEqual([...read(TEXT.slice(0, cut)), ...read(TEXT.slice(cut))], BLOCKS, `at ${cut}`)
    }
    const read = makeBlockReader()
    assert.deepStrictEqual(Array.from(TEXT).flatMap(read), BLOCKS)
  })

  it("refuses an event without an end, in one line or in many", () => {
    const [oneLine, lines] = [makeBlockReader(), makeBlockReader()]
    const piece = "x".repeat(terminalLimits.listenBodyBytes / 2)
    oneLine(piece)
    oneLine(piece)
    assert.throws(() => oneLine(piece), /characters/)
    assert.throws(() => {
      for (let i = 0; i < 4; i++) lines(`data: ${piece}\n`)
    }, /characters/)
  })
})
