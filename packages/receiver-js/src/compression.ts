/**
 * Decompresses the body of a request whose webhook has `compression`. Signatures cover the body before compression, so
 * this comes before `verify`: it handles bytes that nobody has vouched for yet, and its limits are the defence.
 */
import * as zlib from "node:zlib"
import { BodyError, tooLargeText } from "./errors.ts"
import { headerOf, type SignedRequest } from "./signature.ts"

/** Before and after decompression. More than the service sends; a few kilobytes can decompress to gigabytes. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024
/** 8 MiB, the most that RFC 9659 allows over HTTP. A frame may ask for a window of gigabytes. */
const ZSTD_WINDOW_LOG_MAX = 23

interface Encoding {
  /** The first bytes of every compressed body. No JSON text begins with them. */
  readonly magic: string
  readonly decompress: ((body: Uint8Array, maxOutputLength: number) => Uint8Array) | undefined
}

// Node.js has zstd from 22.15.
const unzstd: typeof zlib.zstdDecompressSync | undefined = zlib.zstdDecompressSync

const encodings: ReadonlyMap<string, Encoding> = new Map([
  [
    "gzip",
    {
      magic: "1f8b",
      decompress: (body: Uint8Array, maxOutputLength: number) => zlib.gunzipSync(body, { maxOutputLength })
    }
  ],
  [
    "zstd",
    {
      magic: "28b52ffd",
      decompress:
        unzstd &&
        ((body: Uint8Array, maxOutputLength: number) =>
          unzstd(body, {
            maxOutputLength,
            params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX }
          }))
    }
  ]
])

const refused = (encoding: string, why: string) =>
  new BodyError(415, `This receiver ${why} ${encoding}: set the webhook's compression to null.`)

/**
 * The request with its body as it was signed. Throws BodyError: 413 if the body is larger than `maxBytes`, 415 if this
 * runtime cannot decompress it, 400 if it is broken. Some servers decompress a body and leave Content-Encoding as it
 * was: such a body stays as it is.
 */
export const decompress = (request: SignedRequest, maxBytes: number = BODY_BYTES_MAX): SignedRequest => {
  const { body, headers } = request
  if (body.length > maxBytes) throw new BodyError(413, tooLargeText(maxBytes))
  const name = (headerOf(headers, "content-encoding") ?? "").trim().toLowerCase()
  if (name === "" || name === "identity") return request
  const encoding = encodings.get(name)
  if (encoding === undefined) throw refused(name, "does not read")
  if (!Buffer.from(body.subarray(0, 4)).toString("hex").startsWith(encoding.magic)) return request
  if (encoding.decompress === undefined)
    throw refused(name, `runs on Node.js ${process.versions.node}, which lacks`)
  try {
    return { headers, body: encoding.decompress(body, maxBytes) }
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE")
      throw new BodyError(413, tooLargeText(maxBytes))
    throw new BodyError(400, `The body is not valid ${name}.`)
  }
}
