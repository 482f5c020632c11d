/**
 * The checksum of an address: the first word of SHA-256 of SHA-256 of its version byte and account id. Both texts fit in
 * one block, so this is a quarter of the work of two calls of Node's `hash`, which spend most of theirs on being called.
 * A webhook may have 10,000 addresses, and detection checks those of every event. Pure.
 */
import { ACCOUNT_WORDS, type AccountIds } from "./AccountIds.ts"

const WORD_BITS = 32
const BLOCK_WORDS = 16
const ROUNDS = 64
const HASH_WORDS = 8
const BYTE_BITS = 8
/** The bit after the text, which its padding begins with. */
const END = 0x8000_0000 | 0

const fraction = (number: number): number => ((number % 1) * 2 ** WORD_BITS) | 0

/** SHA-256's constants: the first bits of the fractions of the roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
const start = new Int32Array(HASH_WORDS)
const constants = new Int32Array(ROUNDS)
for (let found = 0, n = 2; found < ROUNDS; n++) {
  let divisor = 2
  while (n % divisor !== 0) divisor++
  if (divisor < n) continue
  if (found < HASH_WORDS) start[found] = fraction(Math.sqrt(n))
  constants[found++] = fraction(Math.cbrt(n))
}

/** The first 16 words are the block. */
const words = new Int32Array(ROUNDS)
const hashed = new Int32Array(HASH_WORDS)

/** Writes the hash of a text that has one block to `hashed`. The names of the variables are those of FIPS 180-4, 6.2.2. */
const hashBlock = (): void => {
  for (let t = BLOCK_WORDS; t < ROUNDS; t++) {
    const x = words[t - 15]!
    const y = words[t - 2]!
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    words[t] = (words[t - BLOCK_WORDS]! + s0 + words[t - 7]! + s1) | 0
  }
  let a = start[0]!
  let b = start[1]!
  let c = start[2]!
  let d = start[3]!
  let e = start[4]!
  let f = start[5]!
  let g = start[6]!
  let h = start[7]!
  for (let t = 0; t < ROUNDS; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[t]! + words[t]!) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  hashed.set([a, b, c, d, e, f, g, h])
  for (let i = 0; i < HASH_WORDS; i++) hashed[i] = hashed[i]! + start[i]!
}

/** Ends the text in `words`: one bit, zeros, and the length in bits. `last` is the word that the bit is in. */
const pad = (last: number, bits: number): void => {
  words.fill(0, last + 1, BLOCK_WORDS)
  words[BLOCK_WORDS - 1] = bits
}

/** `account` is as `writeAccountId` writes it. */
export const addressChecksum = (account: AccountIds): number => {
  // The version byte, which is zero, moves each word by a byte.
  let before = 0
  for (let i = 0; i < ACCOUNT_WORDS; i++) {
    const word = account[ACCOUNT_WORDS - 1 - i]!
    words[i] = (before << (WORD_BITS - BYTE_BITS)) | (word >>> BYTE_BITS)
    before = word
  }
  words[ACCOUNT_WORDS] = (before << (WORD_BITS - BYTE_BITS)) | (END >>> BYTE_BITS)
  pad(ACCOUNT_WORDS, ACCOUNT_WORDS * WORD_BITS + BYTE_BITS)
  hashBlock()
  words.set(hashed)
  words[HASH_WORDS] = END
  pad(HASH_WORDS, HASH_WORDS * WORD_BITS)
  hashBlock()
  return hashed[0]! >>> 0
}
