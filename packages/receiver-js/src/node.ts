/** node:http: `createServer(nodeHandler(receiver))`, or call the handler for one path. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { readBody } from "./body.ts"
import { parsedBefore } from "./errors.ts"
import { type Answer, type Receiver, tooLarge } from "./receiver.ts"

const send = (response: ServerResponse, { body, status }: Answer): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(body)
}

/** `rawBody`: what Google's functions, Nest and many `verify` functions of `express.json` keep of a parsed body. */
type Arrived = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown }

/** The bytes that arrived, also where a body parser that kept them ran before. */
const bytesOf = (request: Arrived, maxBytes: number) => {
  if (request.rawBody instanceof Uint8Array) return request.rawBody
  if (request.body instanceof Uint8Array) return request.body
  if (request.readableEnded) throw parsedBefore()
  // Leaving a loop over the request itself would end the connection before the answer.
  return readBody(request.iterator({ destroyOnReturn: false }), maxBytes)
}

/** A body that breaks off, or was parsed before, rejects. */
export const respond = async (
  receiver: Receiver,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  const body = await bytesOf(request, receiver.maxBodyBytes)
  if (body !== undefined) return send(response, await receiver.receive({ headers: request.headers, body }))
  // The rest of the body is not read: the connection cannot be used again.
  response.setHeader("connection", "close")
  send(response, tooLarge(receiver.maxBodyBytes))
}

export const nodeHandler =
  (receiver: Receiver) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    respond(receiver, request, response).catch((error: unknown) => {
      if (!request.destroyed) console.error(error)
      if (response.headersSent) response.destroy()
      else send(response, { status: 500, body: JSON.stringify({ error: "The request could not be read." }) })
    })
  }
