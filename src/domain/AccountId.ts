/**
 * Classic addresses and the 20-byte account ids they stand for: base 58 with the ledger's alphabet, a zero version
 * byte and four checksum bytes. Here rather than from a library because detection needs both directions on its hot
 * path and nothing else of it.
 */
import { createHash } from "node:crypto"

const ALPHABET = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
const BASE = BigInt(ALPHABET.length)

/** Version byte, account id, checksum. */
const ENCODED_BYTES = 25
const CHECKSUM_HEX = 8

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

const checksum = (versioned: Buffer): string =>
  sha256(sha256(versioned)).toString("hex").slice(0, CHECKSUM_HEX)

const encode = (hex: string): string => {
  let text = ""
  for (let rest = BigInt(`0x${hex}`); rest > 0n; rest /= BASE) text = ALPHABET[Number(rest % BASE)] + text
  let zeroBytes = 0
  while (hex.startsWith("00", zeroBytes * 2)) zeroBytes++
  return ALPHABET[0]!.repeat(zeroBytes) + text
}

/** The address of an account id given as 40 hex digits. */
export const addressOfAccountId = (accountIdHex: string): string => {
  const versioned = `00${accountIdHex}`
  return encode(versioned + checksum(Buffer.from(versioned, "hex")))
}

/** The account id as 40 upper-case hex digits; undefined when `address` is not a valid classic address. */
export const accountIdOfAddress = (address: string): string | undefined => {
  if (!/^r[1-9A-HJ-NP-Za-km-z]{24,34}$/.test(address)) return undefined
  let value = 0n
  for (const char of address) value = value * BASE + BigInt(ALPHABET.indexOf(char))
  const hex = value.toString(16).padStart(ENCODED_BYTES * 2, "0")
  const accountId = hex.slice(2, -CHECKSUM_HEX)
  return hex.length === ENCODED_BYTES * 2 && addressOfAccountId(accountId) === address
    ? accountId.toUpperCase()
    : undefined
}
