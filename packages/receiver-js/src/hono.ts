/** Hono: `app.post("/hooks", honoHandler(receiver))`. */
import type { Receiver } from "./receiver.ts"
import { webHandler } from "./web.ts"

export const honoHandler = (receiver: Receiver) => {
  const handle = webHandler(receiver)
  return (context: { readonly req: { readonly raw: Request } }): Promise<Response> => handle(context.req.raw)
}
