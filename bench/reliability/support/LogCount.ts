/** What the program's log said: how often each warning and error came. */

export interface LogCount {
  readonly warnings: number
  readonly errors: number
  /** `error: the sentence` → how often, most frequent first. */
  readonly sentences: ReadonlyArray<readonly [sentence: string, count: number]>
}

interface Line {
  readonly level: string
  readonly message: string
}

const parse = (line: string): Line | undefined => {
  try {
    // The program writes one JSON object a line; other lines (of Node itself) are no objects.
    const { level, message } = JSON.parse(line) as Partial<Line>
    return level === undefined || message === undefined ? undefined : { level, message }
  } catch {
    return undefined
  }
}

/** Ids, addresses and numbers differ from line to line; the sentence is the same. */
const sentenceOf = ({ level, message }: Line): string =>
  `${level}: ${message
    .replace(/\b[a-z]+_[0-9A-Z]{26}\b/g, "<id>")
    .replace(/\b[0-9A-F]{64}\b/g, "<hash>")
    .replace(/\d+/g, "N")
    .slice(0, 160)}`

export const countLog = (output: string): LogCount => {
  const counts = new Map<string, number>()
  let warnings = 0
  let errors = 0
  for (const text of output.split("\n")) {
    const line = parse(text)
    if (line?.level !== "warn" && line?.level !== "error") continue
    if (line.level === "warn") warnings++
    else errors++
    const sentence = sentenceOf(line)
    counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
  }
  return { warnings, errors, sentences: [...counts].sort(([, a], [, b]) => b - a) }
}
