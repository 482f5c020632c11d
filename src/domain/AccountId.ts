/**
 * Converts between classic addresses and 20-byte account ids: base 58 with the ledger's alphabet, a zero version byte
 * and four checksum bytes. Not from a library, because detection converts every account of every event and needs speed.
 */
import { hash } from "node:crypto"
import { ACCOUNT_WORDS, ALPHABET, writeAccountId } from "./AccountIds.ts"

const BASE = ALPHABET.length
const ZERO = ALPHABET[0]!

/** Letters whose value a double represents exactly. BigInt would be about 12 times slower. */
const CHUNK_LETTERS = 8
const CHUNK = BigInt(BASE ** CHUNK_LETTERS)

const CHECKSUM_HEX = 8

const checksum = (versionedHex: string): string =>
  hash("sha256", hash("sha256", Buffer.from(versionedHex, "hex"), "buffer"), "hex").slice(0, CHECKSUM_HEX)

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
  const versioned = `00${accountIdHex}`
  return encode(versioned + checksum(versioned))
}

const words = new Uint32Array(ACCOUNT_WORDS)
const hexOf = (word: number): string => word.toString(16).padStart(8, "0")

/** The account id as 40 upper-case hex digits; undefined when `address` is not a valid classic address. */
export const accountIdOfAddress = (address: string): string | undefined => {
  const named = writeAccountId(address, words, 0)
  if (named === undefined) return undefined
  const accountId = Array.from(words.toReversed(), hexOf).join("")
  const versioned = `00${accountId}`
  const isValid =
    checksum(versioned) === hexOf(named) && zeroBytesOf(versioned + hexOf(named)) === leadingZeros(address)
  return isValid ? accountId.toUpperCase() : undefined
}

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
  if (accountIdOfAddress(text) === undefined) return false
  remembered[slot] = text
  return true
}
