/**
 * A compact list of account ids: five 32-bit words each, least significant first, so 20 bytes and no object for each.
 * It does not verify checksums, so only addresses that were checked before may be given. Pure.
 */
/** The ledger's base 58 alphabet; the first letter is zero. */
export const ALPHABET = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
const BASE = ALPHABET.length
const WORD = 2 ** 32
/** Letters converted in one step. Their largest value times a word is exact in a double. */
const CHUNK_LETTERS = 3
const LETTERS = { fewest: 25, most: 35 } as const

const NO_DIGIT = 255
const digits = new Uint8Array(128).fill(NO_DIGIT)
for (let i = 0; i < BASE; i++) digits[ALPHABET.charCodeAt(i)] = i

/** Words of one account id. */
export const ACCOUNT_WORDS = 5

/** Account ids, one after the other. */
export type AccountIds = Uint32Array

/**
 * Writes the account id of `address` to `into`, starting at `at`. Returns the checksum in the address, or undefined if
 * the text cannot be an address.
 */
export const writeAccountId = (address: string, into: AccountIds, at: number): number | undefined => {
  const { length } = address
  if (length < LETTERS.fewest || length > LETTERS.most) return undefined
  // The checksum is the lowest word. The loop over words is unrolled, because this runs for each account of each event.
  let checksum = 0
  let w0 = 0
  let w1 = 0
  let w2 = 0
  let w3 = 0
  let w4 = 0
  for (let i = 0; i < length; ) {
    let carry = 0
    let scale = 1
    for (let end = Math.min(length, i + CHUNK_LETTERS); i < end; i++) {
      const digit = digits[address.charCodeAt(i)] ?? NO_DIGIT
      if (digit === NO_DIGIT) return undefined
      carry = carry * BASE + digit
      scale *= BASE
    }
    let sum = checksum * scale + carry
    checksum = sum >>> 0
    sum = w0 * scale + (sum - checksum) / WORD
    w0 = sum >>> 0
    sum = w1 * scale + (sum - w0) / WORD
    w1 = sum >>> 0
    sum = w2 * scale + (sum - w1) / WORD
    w2 = sum >>> 0
    sum = w3 * scale + (sum - w2) / WORD
    w3 = sum >>> 0
    w4 = w4 * scale + (sum - w3) / WORD
    // The version byte of an address is zero.
    if (w4 >= WORD) return undefined
  }
  into[at] = w0
  into[at + 1] = w1
  into[at + 2] = w2
  into[at + 3] = w3
  into[at + 4] = w4
  return checksum
}

/** Texts that are not addresses are skipped. */
export const packAccountIds = (addresses: ReadonlyArray<string>): AccountIds => {
  const ids = new Uint32Array(addresses.length * ACCOUNT_WORDS)
  let at = 0
  for (const address of addresses) if (writeAccountId(address, ids, at) !== undefined) at += ACCOUNT_WORDS
  return at === ids.length ? ids : ids.slice(0, at)
}
