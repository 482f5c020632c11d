/**
 * One run of the server, under a watchdog that stops it when this program ends, in whatever way. Closing the
 * watchdog's pipe stops the server in order.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { Effect } from "effect"
import { Limits } from "../../config/Limits.ts"
import { openNew } from "../NewFile.ts"
import { type Binaries, commandOf } from "./Binaries.ts"
import { failure } from "./EmbeddedPostgresError.ts"
import { postmaster } from "./Postmaster.ts"
import { commandAs, type ServerUser } from "./ServerUser.ts"
import { PORT } from "./SocketFolder.ts"

/** Runs "$@" and stops it when standard input closes, that is, when the program ends in whatever way. */
const WATCHDOG = `exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(cat <&3 >/dev/null; kill -INT $server 2>/dev/null) &
wait $server`

/** Of both pools of this process, other commands, and tests. */
const CONNECTIONS = 100

export interface ServerPaths {
  readonly binaries: Binaries
  readonly user: ServerUser
  readonly cluster: string
  readonly sockets: string
  /** The server's messages. A new file at each start. */
  readonly logFile: string
}

/** Throws if no process can be started. */
export const launch = ({ binaries, user, cluster, sockets, logFile }: ServerPaths): ChildProcess => {
  const settings = [
    "listen_addresses=",
    `unix_socket_directories=${sockets}`,
    `port=${PORT}`,
    `max_connections=${CONNECTIONS}`,
    "log_min_messages=warning"
  ]
  const command = [
    ...commandOf(binaries, "postgres"),
    "-D",
    cluster,
    ...settings.flatMap((setting) => ["-c", setting])
  ]
  const { program, args, options } = commandAs(user, command)
  const log = openNew(logFile)
  // Its own session: Ctrl-C in the terminal must reach only the program, which stops the server last.
  const child = spawn("sh", ["-c", WATCHDOG, "sh", program, ...args], {
    ...options,
    stdio: ["pipe", log, log],
    detached: true
  })
  closeSync(log)
  if (child.pid === undefined) {
    // Node also emits an error event, which would be uncaught.
    child.on("error", () => undefined)
    throw failure("DATA_DIR: the database cannot be started there: too many processes or open files.")
  }
  return child
}

export const stop = (child: ChildProcess, cluster: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.stdin?.end()
  }).pipe(
    Effect.timeoutOrElse({
      duration: Limits.stopPartMs,
      orElse: () =>
        Effect.sync(() => {
          const running = postmaster(cluster)
          if (running !== undefined) process.kill(running.pid, "SIGQUIT")
        })
    })
  )
