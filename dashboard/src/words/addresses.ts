/** Reads addresses from a pasted text. Pure. */

/** What a classic address looks like. The service also checks its checksum. */
const ADDRESS = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/

export interface PastedAddresses {
  readonly addresses: ReadonlyArray<string>
  /** How many addresses stood there again. */
  readonly duplicates: number
  /** Words that are no address. */
  readonly wrong: ReadonlyArray<string>
}

/** Takes any separators: spaces, lines, commas, semicolons, quotes, brackets. */
export const addressesIn = (text: string): PastedAddresses => {
  const words = text.split(/[\s,;|"'`()[\]{}]+/).filter((word) => word !== "")
  const known = words.filter((word) => ADDRESS.test(word))
  const addresses = [...new Set(known)]
  return {
    addresses,
    duplicates: known.length - addresses.length,
    wrong: [...new Set(words.filter((word) => !ADDRESS.test(word)))]
  }
}
