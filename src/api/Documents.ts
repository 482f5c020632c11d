/**
 * Serves a document that never changes while the process runs. It is compressed once, at the first request. A caller
 * gets the smallest encoding that it accepts, or 304 if it has the document already (`If-None-Match`).
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** Browsers and proxies may reuse their copy for this long without asking again. */
const CACHE_SECONDS = 300
const BROTLI_QUALITY = 9

type Encoding = "br" | "gzip" | "identity"

/** The smallest first. */
const packings: ReadonlyArray<Encoding> = ["br", "gzip"]

interface Form {
  readonly bytes: Uint8Array
  readonly etag: string
}

export interface Document {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The smallest encoding that `Accept-Encoding` allows (RFC 9110, 12.5.3). Pure. */
export const chooseEncoding = (accepted: string | undefined): Encoding => {
  const weights = new Map(
    (accepted ?? "").split(",").map((part): [string, number] => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
      const quality = parameters.find((text) => text.startsWith("q="))
      return [name, quality === undefined ? 1 : Number(quality.slice(2))]
    })
  )
  return packings.find((encoding) => (weights.get(encoding) ?? weights.get("*") ?? 0) > 0) ?? "identity"
}

const isKnown = (etag: string, ifNoneMatch: string): boolean =>
  ifNoneMatch.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag)

const packed = async (bytes: Uint8Array): Promise<Readonly<Record<Encoding, Form>>> => {
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
  const form = (encoding: Encoding, encoded: Uint8Array): Form => ({
    bytes: encoded,
    etag: `"${hash}-${encoding}"`
  })
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
      }
    }),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })
  ])
  return { br: form("br", br), gzip: form("gzip", gz), identity: form("identity", bytes) }
}

/** Returns the effect that answers a request for the document. */
export const serveDocument = ({ bytes, contentType, headers = {} }: Document) => {
  let forms: ReturnType<typeof packed> | undefined
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const encoding = chooseEncoding(request.headers["accept-encoding"])
    const form = (yield* Effect.promise(() => (forms ??= packed(bytes))))[encoding]
    const caching = {
      etag: form.etag,
      "cache-control": `public, max-age=${CACHE_SECONDS}`,
      vary: "Accept-Encoding"
    }
    return isKnown(form.etag, request.headers["if-none-match"] ?? "")
      ? HttpServerResponse.empty({ status: 304, headers: caching })
      : HttpServerResponse.uint8Array(form.bytes, {
          contentType,
          headers: {
            ...headers,
            ...caching,
            ...(encoding === "identity" ? {} : { "content-encoding": encoding })
          }
        })
  })
}
