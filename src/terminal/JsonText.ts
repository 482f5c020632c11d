/** Untrusted JSON text: finds the line of a fault, and makes it printable. Pure. */
import type { Json } from "../spine/event/Ledger.ts"
import { printable } from "../spine/words/Printable.ts"

export interface JsonFault {
  readonly message: string
  /** Counted from 0. */
  readonly line: number
}

const isCutShort = (text: string, said: string): boolean =>
  /end of JSON|Unterminated string/.test(said) ||
  Number(/ at position (\d+)/.exec(said)?.[1] ?? -1) === text.length

/** Whether `text`, which ends with a complete line, cannot become valid JSON by appending text. */
const isBeyondRepair = (text: string): boolean => {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return !isCutShort(text, (error as SyntaxError).message)
  }
}

/** Where the faulty line begins. V8 often gives no position, so a binary search finds the longest valid beginning. */
const faultyLine = (text: string): number => {
  let good = 0
  let bad = text.length
  while (true) {
    const middle = good + Math.floor((bad - good) / 2)
    const next = text.indexOf("\n", middle) + 1
    const cut = next === 0 || next >= bad ? text.lastIndexOf("\n", middle - 1) + 1 : next
    if (cut <= good) return good
    if (isBeyondRepair(text.slice(0, cut))) bad = cut
    else good = cut
  }
}

const countLines = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** Returns the value, or the fault with its line. */
export const parseJson = (text: string): { readonly value: Json } | JsonFault => {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const said = (error as SyntaxError).message
    if (isCutShort(text, said)) {
      return { message: "not valid JSON: it ends too early.", line: countLines(text.trimEnd()) }
    }
    // V8 says "… in JSON at position 11 (line 3 column 2)", or gives no position and quotes the text.
    const place = /\(line (\d+) column \d+\)/.exec(said)
    const what = said.replace(/ (?:in|after) JSON at position.*$|, (?:\.{3})?".*$/s, "")
    return {
      message: `not valid JSON: ${printable(what)}.`,
      line: place === null ? countLines(text.slice(0, faultyLine(text))) : Number(place[1]) - 1
    }
  }
}

/** Makes a text of several lines printable. JSON keeps its value, because the escapes are valid in JSON. */
export const printableLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => printable(line, line.length))
    .join("\n")
