/**
 * Decodes the body of a response that has a Content-Encoding although its request asked for none: some servers compress
 * whatever the request says. The result has as many bytes as the response may have; a body that would have more is not
 * decoded, so a bomb costs no more than that. Several codings, one after the other, are not decoded. Pure.
 */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib"

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer

/** The low bits of the first byte of zlib's form (RFC 1950). Some servers send `deflate` without this form. */
const ZLIB_METHOD = 8

const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  [
    "deflate",
    (body, options) =>
      (body[0]! & 0x0f) === ZLIB_METHOD ? inflateSync(body, options) : inflateRawSync(body, options)
  ],
  ["br", brotliDecompressSync]
])

/** The decoded body; `body` itself if it has no coding, an unknown one, is broken, or would have more than `maxBytes`. */
export const decodedBody = (
  coding: string | ReadonlyArray<string> | undefined,
  body: Buffer,
  maxBytes: number
): Buffer => {
  if (typeof coding !== "string" || body.length === 0) return body
  const decode = decoders.get(coding.trim().toLowerCase())
  if (decode === undefined) return body
  try {
    return decode(body, { maxOutputLength: maxBytes })
  } catch {
    // Among others a body that a proxy has decoded, and left the header.
    return body
  }
}
