/** `doctor` checks the ports of the service: whether they are free, or used by a running Ledgerhook. */
import { connect, createServer } from "node:net"
import { Effect } from "effect"
import type { SettingsShape } from "../../../spine/config/Config.ts"
import { Fault, finding } from "./Finding.ts"

const listens = (host: string, port: number): Effect.Effect<void, NodeJS.ErrnoException> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen(port, host, () => server.close(() => resume(Effect.void)))
  })

const accepts = (host: string, port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = connect(port, host)
    const end = (found: boolean) => {
      socket.destroy()
      resume(Effect.succeed(found))
    }
    socket.on("connect", () => end(true)).on("error", () => end(false))
  })

/** The URL at which this machine reaches the port. It may have IPv6 only, or IPv4 only. */
export const urlOf = Effect.fnUntraced(function* (host: string, port: number) {
  if (host === "::" && (yield* accepts("::1", port))) return `http://[::1]:${port}`
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
})

/** Whether Ledgerhook answers there. `healthy`: its answer is the one to a probe, not that the path does not exist. */
const isService = (host: string, port: number, healthy: boolean): Effect.Effect<boolean> =>
  Effect.flatMap(urlOf(host, port), (url) =>
    Effect.tryPromise(async (signal) => {
      const response = await fetch(`${url}/healthz`, { signal })
      // A probe answers `{"status":"ok"}`, another path `{"error":{"code":"NOT_FOUND",…}}`.
      const { status, error } = Object(await response.json())
      return healthy ? status === "ok" : Object(error).code === "NOT_FOUND"
    })
  ).pipe(Effect.orElseSucceed(() => false))

interface PortToCheck {
  readonly check: string
  readonly setting: "PORT" | "OPS_PORT"
  readonly port: number
  /** Whether health is served there. */
  readonly healthy: boolean
}

const checkOne = (
  host: string,
  servicePid: number | undefined,
  { check, setting, port, healthy }: PortToCheck
) => {
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
            fix:
              code === "EACCES"
                ? `Set ${setting} to 1024 or higher.`
                : "Set HOST to an address of this machine."
          })
        }
        if (yield* isService(host, port, healthy)) return `${where} is used by Ledgerhook, which is running`
        if (servicePid !== undefined)
          return yield* new Fault({
            detail: `${where} is in use, and the service (process ${servicePid}) does not answer there`,
            fix: "See its log: it may have too many open files, or too little CPU."
          })
        return yield* new Fault({
          detail: `${where} is in use by another program`,
          fix: `Stop that program, or set ${setting} to another port.`
        })
      })
    )
  )
  return finding(check, `Set ${setting} to another port.`, tried)
}

/** `servicePid`: the service that uses the embedded database, if these settings are its own. */
export const portChecks = ({ host, port, opsPort, roles }: SettingsShape, servicePid: number | undefined) => {
  const api: PortToCheck = { check: "API port", setting: "PORT", port, healthy: opsPort === undefined }
  if (opsPort === undefined) return [checkOne(host, servicePid, api)]
  const ops = checkOne(host, servicePid, {
    check: "health port",
    setting: "OPS_PORT",
    port: opsPort,
    healthy: true
  })
  return roles.includes("api") ? [checkOne(host, servicePid, api), ops] : [ops]
}
