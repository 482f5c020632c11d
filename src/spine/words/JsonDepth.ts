/** How deeply untrusted JSON text is nested, found before it is parsed. Pure. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** Takes the lines of one text in order; returns true once arrays and objects are nested more than `most` deep. */
export const makeDepthMeter = (most: number) => {
  let depth = 0
  return (line: string): boolean => {
    // A JSON string cannot contain a line break.
    let quoted = false
    for (let i = 0; i < line.length; i++) {
      const code = line.charCodeAt(i)
      if (code === QUOTE) quoted = !quoted
      else if (quoted) {
        if (code === BACKSLASH) i++
      } else if (OPENING.has(code)) {
        if (++depth > most) return true
      } else if (CLOSING.has(code)) depth--
    }
    return false
  }
}

/** Text nested that deep must not be parsed: code that walks its value recurses and would exhaust the stack. */
export const isDeeperThan = (text: string, most: number): boolean =>
  text.split("\n").some(makeDepthMeter(most))
