/** What a text asks for: a hash, an address, an id, a ledger, or words. Pure. */

const ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}"

const kinds = [
  ["transaction", /^[0-9A-F]{64}$/i],
  ["event", /^xrpl:[1-9]\d*:[0-9A-F]{64}:[a-z_]+\.[a-z_]+(:\d+)?$/],
  ["delivery", new RegExp(`^dlv_${ULID}$`)],
  ["webhook", new RegExp(`^wh_${ULID}$`)],
  ["job", new RegExp(`^rpl_job_${ULID}$`)],
  ["incident", new RegExp(`^inc_${ULID}$`)],
  ["account", /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/],
  ["ledger", /^[1-9]\d{0,9}$/]
] as const

export interface Asked {
  readonly kind: (typeof kinds)[number][0] | "words"
  /** As the API wants it. */
  readonly text: string
}

/** Spaces around the text do not matter, nor do those between the digits of a ledger index. */
export const asked = (typed: string): Asked => {
  const text = typed.trim()
  const digits = text.replaceAll(/[\s\u2009\u202f]/g, "")
  const plain = /^\d+$/.test(digits) ? digits : text
  const kind = kinds.find(([, pattern]) => pattern.test(plain))?.[0]
  if (kind === undefined) return { kind: "words", text }
  return { kind, text: kind === "transaction" ? plain.toUpperCase() : plain }
}

/** Whether every word is in the name, whatever the case. */
export const isIn = (name: string, words: string): boolean => {
  const lower = name.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}
