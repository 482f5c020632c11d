/** JSON text of strangers: how deep it goes before it is parsed, and how it is printed. Pure. */
import { printable } from "../domain/Printable.ts"

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** Whether arrays and objects stand in one another more than `most` deep: such text is not to be parsed. */
export const isDeeperThan = (text: string, most: number): boolean => {
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) quoted = !quoted
    else if (quoted) {
      if (code === BACKSLASH) i++
    } else if (OPENING.has(code)) {
      if (++depth > most) return true
    } else if (CLOSING.has(code)) depth--
  }
  return false
}

/** The whole text line by line. In JSON the escapes are JSON's own, so that its value stays the same. */
export const printableLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => printable(line, line.length))
    .join("\n")
