/**
 * Loads the library xrpl at its first use. It takes 8 MB and 0.1 s, and only simulated ledgers, test deliveries and the
 * full verification of ledgers need it. Its codec's parser is made faster here.
 */
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)
let loaded: typeof import("xrpl") | undefined

interface Parser {
  bytes: Uint8Array
  readonly skip: (count: number) => void
}

/**
 * The codec's parser copies all remaining bytes at every read: metadata of 2,400 nodes would take minutes to decode.
 * Here it moves its view of them instead. A later codec without this parser stays as it is.
 */
const readWithoutCopies = (): void => {
  try {
    const codec = createRequire(require.resolve("xrpl"))
    const { BinaryParser } = codec("ripple-binary-codec/dist/serdes/binary-parser")
    BinaryParser.prototype.skip = function (this: Parser, count: number) {
      if (!(count >= 0 && count <= this.bytes.length)) throw new Error("the bytes end too early")
      this.bytes = this.bytes.subarray(count)
    } satisfies Parser["skip"]
  } catch {
    // Decoding is slower then, and its results are the same.
  }
}

const load = (): typeof import("xrpl") => {
  readWithoutCopies()
  return require("xrpl") as typeof import("xrpl")
}

export const loadXrpl = (): typeof import("xrpl") => (loaded ??= load())
