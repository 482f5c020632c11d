/** Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) piece by piece. */
import { terminalLimits } from "../../../terminal/Limits.ts"

export interface Block {
  /** `message` if the block names no event. */
  readonly event: string
  /** Undefined if the block has no data: then its id only says how far the stream has read. */
  readonly data: string | undefined
  readonly id: string | undefined
}

export class TooLong extends Error {
  constructor() {
    super(`an event of the stream has more than ${terminalLimits.listenBodyBytes} characters`)
  }
}

const LINE_END = /\r?\n/

const blockOf = (lines: ReadonlyArray<string>): Block => {
  let [event, id]: [string, string | undefined] = ["message", undefined]
  const data: Array<string> = []
  for (const line of lines) {
    const colon = line.indexOf(":")
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (name === "event") event = value
    else if (name === "data") data.push(value)
    else if (name === "id") id = value
  }
  return { event, id, data: data.length === 0 ? undefined : data.join("\n") }
}

/** Returns a function that takes the next piece of text and returns the blocks that end in it. It throws `TooLong`. */
export const makeBlockReader = (): ((piece: string) => ReadonlyArray<Block>) => {
  let rest = ""
  let lines: Array<string> = []
  let chars = 0
  return (piece) => {
    const blocks: Array<Block> = []
    const parts = (rest + piece).split(LINE_END)
    rest = parts.pop() ?? ""
    for (const line of parts) {
      if (line === "") {
        blocks.push(blockOf(lines))
        lines = []
        chars = 0
      } else {
        lines.push(line)
        chars += line.length
      }
    }
    if (rest.length + chars > terminalLimits.listenBodyBytes) throw new TooLong()
    return blocks
  }
}
