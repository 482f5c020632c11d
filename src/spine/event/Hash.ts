/** The ledger's 256-bit hashes as text. A lookup table is four times as fast as a pattern for this frequent check. */

const LENGTH = 64

const isHexDigit = new Uint8Array(128)
for (const digit of "0123456789ABCDEFabcdef") isHexDigit[digit.charCodeAt(0)] = 1

/** 64 hex digits in either case. */
export const isHash = (text: string): boolean => {
  if (text.length !== LENGTH) return false
  for (let i = 0; i < LENGTH; i++) if (isHexDigit[text.charCodeAt(i)] !== 1) return false
  return true
}
