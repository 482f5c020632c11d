/** Accounts that are pasted into a webhook's filter: what is added, and what is refused and why. Pure. */
import { isValidClassicAddress, isValidXAddress, xAddressToClassicAddress } from "ripple-address-codec"
import { ACCOUNTS_MAX } from "./values.ts"

export interface Refused {
  readonly text: string
  /** The end of a sentence that begins with the text. */
  readonly because: string
  /** The account that an X-address stands for. */
  readonly account?: string
}

export interface Pasted {
  /** All accounts, the new ones first. */
  readonly accounts: ReadonlyArray<string>
  readonly added: number
  /** How many were there before, or stood in the text again. */
  readonly present: number
  /** How many the limit left no place for. */
  readonly over: number
  readonly refused: ReadonlyArray<Refused>
}

const LETTERS = /^[1-9A-HJ-NP-Za-km-z]+$/

const problemOf = (word: string): Refused => {
  if (isValidXAddress(word))
    return { text: word, because: "is an X-address", account: xAddressToClassicAddress(word).classicAddress }
  if (/^[XT][1-9A-HJ-NP-Za-km-z]{46}$/.test(word))
    return { text: word, because: "is an X-address with a wrong checksum" }
  if (!word.startsWith("r")) return { text: word, because: "is not an address, which begins with r" }
  if (!LETTERS.test(word)) return { text: word, because: "has a character that no address has" }
  return word.length < 25 || word.length > 35
    ? { text: word, because: `has ${word.length} characters; an address has 25 to 35` }
    : { text: word, because: "has a wrong checksum" }
}

/** Takes any separators: spaces, lines, commas, semicolons, quotes, brackets. */
export const wordsIn = (text: string): ReadonlyArray<string> =>
  text.split(/[\s,;|"'`()[\]{}<>\ufeff]+/).filter((word) => word !== "")

export const paste = (before: ReadonlyArray<string>, text: string): Pasted => {
  const known = new Set(before)
  const added: Array<string> = []
  const refused = new Map<string, Refused>()
  let [present, over] = [0, 0]
  for (const word of wordsIn(text)) {
    if (known.has(word)) present++
    else if (!isValidClassicAddress(word)) refused.set(word, problemOf(word))
    else if (known.size >= ACCOUNTS_MAX) over++
    else {
      known.add(word)
      added.push(word)
    }
  }
  return {
    accounts: added.length === 0 ? before : [...added, ...before],
    added: added.length,
    present,
    over,
    refused: [...refused.values()]
  }
}
