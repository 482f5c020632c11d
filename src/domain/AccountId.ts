/**
 * Classic addresses and the 20-byte account ids they stand for: base 58 with the ledger's alphabet, a zero version
 * byte and four checksum bytes. Here rather than from a library because detection needs both directions on its hot
 * path and nothing else of it.
 */
import { hash } from "node:crypto"
import { ADDRESS } from "./LedgerForms.ts"

const ALPHABET = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
const BASE = ALPHABET.length
const ZERO = ALPHABET[0]!

/** As many letters as a double holds exactly: a step with BigInt takes as long as a dozen without. */
const CHUNK_LETTERS = 8
const CHUNK = BigInt(BASE ** CHUNK_LETTERS)

/** Version byte, account id, checksum. */
const ENCODED_BYTES = 25
const CHECKSUM_HEX = 8

const checksum = (versionedHex: string): string =>
  hash("sha256", hash("sha256", Buffer.from(versionedHex, "hex"), "buffer"), "hex").slice(0, CHECKSUM_HEX)

/** Base 58 writes each leading zero byte as one zero, which its number does not tell. */
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

/** As hex; `text` is of the alphabet's letters. */
const decode = (text: string): string => {
  let value = 0n
  for (let at = 0; at < text.length; at += CHUNK_LETTERS) {
    let chunk = 0
    let scale = 1
    for (const letter of text.slice(at, at + CHUNK_LETTERS)) {
      chunk = chunk * BASE + ALPHABET.indexOf(letter)
      scale *= BASE
    }
    value = value * BigInt(scale) + BigInt(chunk)
  }
  return value.toString(16)
}

/** The address of an account id given as 40 hex digits. */
export const addressOfAccountId = (accountIdHex: string): string => {
  const versioned = `00${accountIdHex}`
  return encode(versioned + checksum(versioned))
}

/** The account id as 40 upper-case hex digits; undefined when `address` is not a valid classic address. */
export const accountIdOfAddress = (address: string): string | undefined => {
  if (!ADDRESS.test(address)) return undefined
  const hex = decode(address).padStart(ENCODED_BYTES * 2, "0")
  const versioned = hex.slice(0, -CHECKSUM_HEX)
  return hex.length === ENCODED_BYTES * 2 &&
    hex.startsWith("00") &&
    zeroBytesOf(hex) === leadingZeros(address) &&
    checksum(versioned) === hex.slice(-CHECKSUM_HEX)
    ? versioned.slice(2).toUpperCase()
    : undefined
}

/**
 * Addresses found valid, each in the slot that its last letters name: a checksum takes as long as detecting a transaction,
 * and most addresses come again and again. Some 4 MB when full.
 */
const SLOTS = 2 ** 16
const remembered: Array<string> = Array(SLOTS).fill("")

/** The checksum is there, so these letters are spread evenly. */
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
