/** Fastify 4 and 5: `app.register(fastifyReceiver(receiver, "/hooks"))`. Other routes keep their body parsers. */
import type { Receiver } from "./receiver.ts"
import type { HeaderSource } from "./signature.ts"

interface ReceivedRequest {
  readonly headers: HeaderSource
  readonly body: unknown
}

interface Reply {
  code(status: number): Reply
  header(name: string, value: string): Reply
  send(body: string): unknown
}

/** The part of a Fastify instance that the plugin uses. */
interface Instance {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parser: (request: unknown, body: Buffer, done: (error: Error | null, body?: unknown) => void) => void
  ): unknown
  post(path: string, handler: (request: ReceivedRequest, reply: Reply) => Promise<unknown>): unknown
}

export const fastifyReceiver =
  (receiver: Receiver, path: string) =>
  async (app: Instance): Promise<void> => {
    // A plugin has parsers of its own: these changes end with it.
    app.removeAllContentTypeParsers()
    const options = { parseAs: "buffer" as const, bodyLimit: receiver.maxBodyBytes }
    app.addContentTypeParser("*", options, (_request, body, done) => done(null, body))
    app.post(path, async ({ body, headers }, reply) => {
      const bytes = body instanceof Uint8Array ? body : new Uint8Array()
      const answer = await receiver.receive({ headers, body: bytes })
      return reply.code(answer.status).header("content-type", "application/json").send(answer.body)
    })
  }
