/**
 * Converts between classic addresses and 20-byte account ids: base 58 with the ledger's alphabet, a zero version byte
 * and four checksum bytes. Not from a library, because detection converts every account of every event and needs speed.
 */
import { ACCOUNT_WORDS, ALPHABET, writeAccountId } from "./AccountIds.ts"
import { addressChecksum } from "./AddressChecksum.ts"

const BASE = ALPHABET.length
const ZERO = ALPHABET[0]!

/** Letters whose value a double represents exactly. BigInt would be about 12 times slower. */
const CHUNK_LETTERS = 8
const CHUNK = BigInt(BASE ** CHUNK_LETTERS)

const WORD_BYTES = 4

/** Base 58 writes each leading zero byte as one zero letter, because the number alone would lose them. */
const zeroBytesOf = (hex: string): number => {
  let bytes = 0
  while (hex.startsWith("00", bytes * 2)) bytes++
  return bytes
}

const leadingZeros = (text: string): number => {
  let zeros = 0
  while (text[zeros] === ZERO) zeros++
  return zeros
}

const encode = (hex: string): string => {
  let text = ""
  for (let rest = BigInt(`0x${hex}`); rest > 0n; rest /= CHUNK) {
    let chunk = Number(rest % CHUNK)
    for (let i = 0; i < CHUNK_LETTERS; i++) {
      const quotient = Math.floor(chunk / BASE)
      text = ALPHABET[chunk - quotient * BASE]! + text
      chunk = quotient
    }
  }
  // The last chunk may have filled up with zeros.
  return ZERO.repeat(zeroBytesOf(hex)) + text.slice(leadingZeros(text))
}

/** The address of an account id given as 40 hex digits. */
export const addressOfAccountId = (accountIdHex: string): string => {
  const account = Uint32Array.from(accountIdHex.match(/.{8}/g) ?? [], (word) => Number.parseInt(word, 16))
  return encode(`00${accountIdHex}${hexOf(addressChecksum(account.reverse()))}`)
}

const words = new Uint32Array(ACCOUNT_WORDS)
const hexOf = (word: number): string => word.toString(16).padStart(8, "0")

/** Of the version byte and the account id. */
const zeroBytesOfWords = (): number => {
  const word = words.findLastIndex((word) => word !== 0)
  // The checksum of the account id of zeros alone does not begin with a zero.
  return 1 + (ACCOUNT_WORDS - 1 - word) * WORD_BYTES + (word === -1 ? 0 : Math.clz32(words[word]!) >>> 3)
}

/**
 * Whether this is a classic address with a valid checksum; its account id is then in `words`. For addresses that
 * customers choose: in the cache of `isAddress` they would replace those of the ledger.
 */
export const isValidAddress = (address: string): boolean => {
  const named = writeAccountId(address, words, 0)
  return (
    named !== undefined && named === addressChecksum(words) && zeroBytesOfWords() === leadingZeros(address)
  )
}

/** The account id as 40 upper-case hex digits; undefined when `address` is not a valid classic address. */
export const accountIdOfAddress = (address: string): string | undefined =>
  isValidAddress(address) ? Array.from(words.toReversed(), hexOf).join("").toUpperCase() : undefined

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
  if (!isValidAddress(text)) return false
  remembered[slot] = text
  return true
}
