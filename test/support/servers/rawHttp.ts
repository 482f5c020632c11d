/** HTTP responses as they were received: fetch decompresses bodies. */
import { type IncomingHttpHeaders, request } from "node:http"
import { Effect } from "effect"

export interface RawAnswer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

export const rawCall = (url: string, headers: Record<string, string>, method = "GET", body = "") =>
  Effect.callback<RawAnswer>((resume) => {
    request(url, { headers, method, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk) => chunks.push(chunk))
      response.on("end", () =>
        resume(
          Effect.succeed({
            status: response.statusCode,
            headers: response.headers,
            bytes: Buffer.concat(chunks)
          })
        )
      )
    }).end(body)
  })
