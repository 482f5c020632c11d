/**
 * Converts between classic addresses and 20-byte account ids: base 58 with the ledger's alphabet, a zero version byte
 * and four checksum bytes. Not from a library, because detection converts every account of every event and needs speed.
 */
import { hash } from "node:crypto"

/** The ledger's base 58 alphabet; the first letter is zero. */
const ALPHABET = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
const BASE = ALPHABET.length
const ZERO = ALPHABET[0]!

/** Letters whose value a double represents exactly. BigInt would be about 12 times slower. */
const CHUNK_LETTERS = 8
const CHUNK = BigInt(BASE ** CHUNK_LETTERS)

/** A version byte and an account id. */
const VERSIONED_BYTES = 21
const CHECKSUM_BITS = 32n

const checksum = (versioned: Uint8Array): number =>
  hash("sha256", hash("sha256", versioned, "buffer"), "buffer").readUInt32BE()

/** Base 58 writes each leading zero byte as one zero letter, because the number alone would lose them. */
const zeroBytesOf = (bytes: Uint8Array): number => {
  let zeros = 0
  while (bytes[zeros] === 0) zeros++
  return zeros
}

const leadingZeros = (text: string): number => {
  let zeros = 0
  while (text[zeros] === ZERO) zeros++
  return zeros
}

/** The address of an account id given as 40 hex digits. */
export const addressOfAccountId = (accountIdHex: string): string => {
  const bytes = Buffer.from(`00${accountIdHex}`, "hex")
  const number = (BigInt(`0x${accountIdHex}`) << CHECKSUM_BITS) + BigInt(checksum(bytes))
  let text = ""
  for (let rest = number; rest > 0n; rest /= CHUNK) {
    let chunk = Number(rest % CHUNK)
    for (let i = 0; i < CHUNK_LETTERS; i++) {
      const quotient = Math.floor(chunk / BASE)
      text = ALPHABET[chunk - quotient * BASE]! + text
      chunk = quotient
    }
  }
  // The last chunk may have filled up with zeros.
  return ZERO.repeat(zeroBytesOf(bytes)) + text.slice(leadingZeros(text))
}

const NO_DIGIT = 255
const digits = new Uint8Array(128).fill(NO_DIGIT)
for (let i = 0; i < BASE; i++) digits[ALPHABET.charCodeAt(i)] = i

const WORD = 2 ** 32
/** An account id: five 32-bit words, the least significant first. */
const words = new Uint32Array(5)
/** Letters converted in one step. Their largest value times a word is exact in a double. */
const WORD_LETTERS = 3
const LETTERS = { fewest: 25, most: 35 } as const

/** Sets `words` to the account id of `address`. Returns the checksum in it, or undefined if it cannot be an address. */
const readWords = (address: string): number | undefined => {
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
    for (let end = Math.min(length, i + WORD_LETTERS); i < end; i++) {
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
  words[0] = w0
  words[1] = w1
  words[2] = w2
  words[3] = w3
  words[4] = w4
  return checksum
}

const wordBytes = Buffer.from(words.buffer)

/**
 * A key for the account that takes less memory than its address: 20 characters, one for each byte of the account id. A
 * text that cannot be an address is its own key. Checksums are not checked.
 */
export const accountKey = (address: string): string =>
  readWords(address) === undefined ? address : wordBytes.toString("latin1")

const versioned = Buffer.alloc(VERSIONED_BYTES)

/** Whether `address` is a valid classic address, checksum included. Then `versioned` has its bytes. */
const readAddress = (address: string): boolean => {
  const named = readWords(address)
  if (named === undefined) return false
  words.toReversed().forEach((word, i) => void versioned.writeUInt32BE(word, 1 + 4 * i))
  return checksum(versioned) === named && zeroBytesOf(versioned) === leadingZeros(address)
}

/** The account id as 40 upper-case hex digits; undefined when `address` is not a valid classic address. */
export const accountIdOfAddress = (address: string): string | undefined =>
  readAddress(address) ? versioned.toString("hex", 1).toUpperCase() : undefined

/**
 * A cache of valid addresses; an address's last letters choose its slot. Checking a checksum takes as long as detecting
 * a transaction, and most addresses occur repeatedly. About 4 MB when full.
 */
const SLOTS = 2 ** 16
const remembered: Array<string> = Array(SLOTS).fill("")

/** The last letters come from the checksum, so they are spread evenly. */
const slotOf = (text: string): number => {
  const end = text.length
  const letters = (text.charCodeAt(end - 1) * BASE + text.charCodeAt(end - 2)) * BASE
  return (letters + text.charCodeAt(end - 3)) % SLOTS
}

/** A valid classic address, checksum included. */
export const isAddress = (text: string): boolean => {
  const slot = slotOf(text)
  if (remembered[slot] === text) return true
  if (!readAddress(text)) return false
  remembered[slot] = text
  return true
}

/** Undefined if `address` is a classic address with a valid checksum. */
export const addressProblem = (address: string): string | undefined =>
  isAddress(address)
    ? undefined
    : /^[XT][1-9A-HJ-NP-Za-km-z]{46}$/.test(address)
      ? "must be a classic address (r…); X-addresses are not accepted"
      : "must be a valid classic XRPL address (r…)"
