/** A schema registry that answers each request as the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export const makeAnsweringRegistry = (answer: Answer) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly host: string; readonly close: () => void }>((resume) => {
      const server = createServer(answer).listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ host: `127.0.0.1:${port}`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

export const answering =
  (status: number, body: string): Answer =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { "content-type": "application/vnd.schemaregistry.v1+json" }).end(body)
  }
