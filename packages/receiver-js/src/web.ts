/** For every framework with the web's `Request` and `Response`, in the Node.js runtime. Rejects if the body was read before. */
import { readBody } from "./body.ts"
import { parsedBefore } from "./errors.ts"
import { type Receiver, tooLarge } from "./receiver.ts"

export const webHandler =
  (receiver: Receiver) =>
  async (request: Request): Promise<Response> => {
    if (request.bodyUsed) throw parsedBefore()
    const body = await readBody(request.body ?? [], receiver.maxBodyBytes)
    const { body: text, status } =
      body === undefined
        ? tooLarge(receiver.maxBodyBytes)
        : await receiver.receive({ headers: request.headers, body })
    return new Response(text, { status, headers: { "content-type": "application/json" } })
  }
