/** `doctor` checks the API's port: whether it is free, or used by a running Ledgerhook. */
import { createServer } from "node:net"
import { Effect } from "effect"
import type { SettingsShape } from "../../config/Config.ts"
import { Fault, finding } from "./Finding.ts"

const listens = (host: string, port: number): Effect.Effect<void, NodeJS.ErrnoException> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(port, host, () => server.close(() => resume(Effect.void)))
  })

const isService = (host: string, port: number): Effect.Effect<boolean> =>
  Effect.tryPromise(async (signal) => {
    const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
    const address = reachable.includes(":") ? `[${reachable}]` : reachable
    const response = await fetch(`http://${address}:${port}/healthz`, { signal })
    return response.ok && JSON.stringify(await response.json()) === JSON.stringify({ status: "ok" })
  }).pipe(Effect.orElseSucceed(() => false))

export const portCheck = ({ host, port }: SettingsShape) => {
  const where = `port ${port} of ${host}`
  const tried = Effect.gen(function* () {
    yield* listens(host, port)
    return port === 0 ? `${host}, any free port` : `${where} is free`
  }).pipe(
    Effect.catch(
      Effect.fnUntraced(function* ({ code, message }) {
        if (code !== "EADDRINUSE") {
          return yield* new Fault({
            detail: `${where} cannot be used: ${message}`,
            fix: code === "EACCES" ? "Set PORT to 1024 or higher." : "Set HOST to an address of this machine."
          })
        }
        if (yield* isService(host, port)) return `${where} is used by Ledgerhook, which is running`
        return yield* new Fault({
          detail: `${where} is in use by another program`,
          fix: "Stop that program, or set PORT to another port."
        })
      })
    )
  )
  return finding("API port", "Set PORT to another port.", tried)
}
