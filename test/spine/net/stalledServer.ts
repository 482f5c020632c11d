/**
 * A server whose connections hang: its process is stopped and its queue of connections is full, so the kernel ignores
 * new ones, as if the host were dead. After `release` it accepts them: a client then connects a second or so after its
 * first try, as over a line that lost a packet.
 */
import { spawn } from "node:child_process"
import { connect } from "node:net"
import { Effect } from "effect"

const program = (host: string, port: number) => `
const server = require("node:net").createServer((socket) => socket.on("error", () => {}))
server.listen({ host: ${JSON.stringify(host)}, port: ${port}, backlog: 1 }, () => console.log(server.address().port))
`

/** More than fit into the queue. */
const FILLING = 4

/** `port`: 0 for any. */
export const stalledServer = (host: string, port = 0) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["-e", program(host, port)], { stdio: ["ignore", "pipe", "inherit"] })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const listening = yield* Effect.callback<number>((resume) => {
      server.stdout.once("data", (line) => resume(Effect.succeed(Number(line))))
    })
    server.kill("SIGSTOP")
    const fill = Effect.acquireRelease(
      Effect.sync(() => connect(listening, host).on("error", () => {})),
      (socket) => Effect.sync(() => socket.destroy())
    )
    yield* Effect.all(Array.from({ length: FILLING }, () => fill))
    return { port: listening, release: () => server.kill("SIGCONT") }
  })
