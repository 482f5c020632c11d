/**
 * Serves a document that never changes while the process runs. Each encoding is made once, at the first request for
 * it. A caller gets the smallest encoding that it accepts, or 304 if it has the document already (`If-None-Match`).
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/** Browsers and proxies may reuse their copy for this long without asking again. */
const CACHE_SECONDS = 300
const BROTLI_QUALITY = 9

/** The smallest first. */
const packers = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
      }
    }),
  zstd: (bytes: Uint8Array) => promisify(zstdCompress)(bytes),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  identity: (bytes: Uint8Array) => bytes
}
type Encoding = keyof typeof packers
const encodings: ReadonlyArray<Encoding> = ["br", "zstd", "gzip"]

interface Form {
  readonly bytes: Uint8Array
  readonly etag: string
}

export interface Document {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** Replace the default headers of the same names, which are in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** The bytes in brotli, if somebody has compressed them before. */
  readonly brotli?: Uint8Array | undefined
  /** False if the format is compressed already, as images are. */
  readonly compressible?: boolean
}

/** What a header such as `Accept` or `Accept-Encoding` names, in lower case, with its weight. Pure. */
export const weightsOf = (header: string | undefined): ReadonlyMap<string, number> =>
  new Map(
    (header ?? "").split(",").map((part): [string, number] => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
      const quality = parameters.find((text) => text.startsWith("q="))
      return [name, quality === undefined ? 1 : Number(quality.slice(2))]
    })
  )

/** The smallest encoding that `Accept-Encoding` allows (RFC 9110, 12.5.3). Pure. */
export const chooseEncoding = (accepted: string | undefined): Encoding => {
  const weights = weightsOf(accepted)
  return encodings.find((encoding) => (weights.get(encoding) ?? weights.get("*") ?? 0) > 0) ?? "identity"
}

const isKnown = (etag: string, ifNoneMatch: string): boolean =>
  ifNoneMatch.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag)

/** Returns the form of the document in an encoding. A form is made once. */
const formsOf = ({ bytes, brotli }: Document) => {
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
  const forms = new Map<Encoding, Promise<Form>>()
  const pack = async (encoding: Encoding): Promise<Form> => ({
    bytes: (encoding === "br" && brotli) || (await packers[encoding](bytes)),
    etag: `"${hash}-${encoding}"`
  })
  return (encoding: Encoding): Promise<Form> => {
    const form = forms.get(encoding) ?? pack(encoding)
    forms.set(encoding, form)
    return form
  }
}

/** Returns the effect that answers a request for the document. */
export const serveDocument = (document: Document) => {
  const { contentType, headers = {}, compressible = true } = document
  const formIn = formsOf(document)
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const encoding = compressible ? chooseEncoding(request.headers["accept-encoding"]) : "identity"
    const form = yield* Effect.promise(() => formIn(encoding))
    const common = {
      "cache-control": `public, max-age=${CACHE_SECONDS}`,
      vary: "Accept-Encoding",
      ...headers,
      etag: form.etag
    }
    return isKnown(form.etag, request.headers["if-none-match"] ?? "")
      ? HttpServerResponse.empty({ status: 304, headers: common })
      : HttpServerResponse.uint8Array(form.bytes, {
          contentType,
          headers: { ...common, ...(encoding === "identity" ? {} : { "content-encoding": encoding }) }
        })
  })
}
