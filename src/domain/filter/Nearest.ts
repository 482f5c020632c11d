/** Finds the known name that is most like a mistyped one. Pure. */

/** Returns how many letters must be added, removed or replaced to turn `b` into `a` (Levenshtein distance). */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}

/** Undefined if there are no names. */
export const nearest = (name: string, names: Iterable<string>): string | undefined => {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const one of names) {
    const far = distance(name, one)
    if (far < least) [best, least] = [one, far]
  }
  return best
}
