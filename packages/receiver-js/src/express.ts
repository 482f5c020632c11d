/** Express 4 and 5: `app.post("/hooks", expressHandler(receiver))`, before any body parser, or after `express.raw`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { respond } from "./node.ts"
import type { Receiver } from "./receiver.ts"

export const expressHandler =
  (receiver: Receiver) =>
  (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void => {
    respond(receiver, request, response).catch(next)
  }
