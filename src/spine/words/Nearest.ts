/**
 * Finds the known name that a mistyped one stands for: at most two letters differ, and at most a third of the longer
 * name. Upper and lower case do not matter. Pure.
 */

/** What is wrong with a value: the end of a sentence that begins with the field's name. */
export interface Problem {
  readonly problem: string
  /** The accepted value that the given one may stand for. */
  readonly suggestion?: string | undefined
}

export const sentenceOf = (subject: string, { problem, suggestion }: Problem): string =>
  `${subject} ${problem}${suggestion === undefined ? "." : `; did you mean ${suggestion}?`}`

const LETTERS = 2

/** Longer texts are no mistyped names. */
export const NAME_LENGTH = 60

/** How many letters must be added, removed, replaced or exchanged with their neighbour to turn `b` into `a`. */
const distance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= a.length; i++) {
    const [above, row] = [rows[i - 1]!, [i]]
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const exchanged = isExchanged ? rows[i - 2]![j - 2]! + 1 : replaced
      row.push(Math.min(replaced, exchanged, above[j]! + 1, row[j - 1]! + 1))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

/** Undefined if no name is near. */
export const nearest = (name: string, names: Iterable<string>): string | undefined => {
  if (name.length > NAME_LENGTH) return undefined
  let best: string | undefined
  let least = LETTERS + 1
  for (const one of names) {
    if (Math.abs(one.length - name.length) >= least) continue
    const far = distance(name.toLowerCase(), one.toLowerCase())
    if (far < least && far <= Math.max(one.length, name.length) / 3) [best, least] = [one, far]
  }
  return best
}
