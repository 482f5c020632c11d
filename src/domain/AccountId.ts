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

const words = new Uint32Array(ACCOUNT_WORDS)
const versioned = Buffer.alloc(VERSIONED_BYTES)

/** Whether `address` is a valid classic address, checksum included. Then `versioned` has its bytes. */
const readAddress = (address: string): boolean => {
  const named = writeAccountId(address, words, 0)
  if (named === undefined) return false
  for (let i = 0; i < ACCOUNT_WORDS; i++) versioned.writeUInt32BE(words[ACCOUNT_WORDS - 1 - i]!, 1 + 4 * i)
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
