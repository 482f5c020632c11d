/**
 * The messages to systemd of a real process, read from a real socket as systemd reads them: with systemd's own program
 * `systemd-notify` and a Python reader. systemd itself does not run here.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { freePort } from "../kafka/javaServer.ts"
import { startProcess } from "../support/program/serviceProcess.ts"
import { ownDatabase } from "../support/store/ownDatabase.ts"

/** Prints each datagram as one line. A message's file descriptor is closed at once, which answers its barrier. */
const READER = `
import socket, sys
reader = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
reader.bind(sys.argv[1])
print("bound", flush=True)
while True:
    print(reader.recv(4096).decode().strip().replace("\\n", " "), flush=True)
`

const lacking = ["systemd-notify", "python3"].find(
  (program) => spawnSync(program, ["--version"]).status !== 0
)

const notifySocket = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-notify-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const path = join(folder, "socket")
  const messages = yield* Queue.unbounded<string>()
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("python3", ["-c", READER, path], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  createInterface({ input: reader.stdout }).on("line", (line) => Queue.offerUnsafe(messages, line))
  const next = Effect.filterOrFail(
    Queue.take(messages),
    // `systemd-notify` sends it after each message, and waits until it is read.
    (line) => line !== "BARRIER=1"
  ).pipe(Effect.retry({ times: 100 }))
  /** The next message that matches. Those before it are dropped. */
  const until = (pattern: RegExp) =>
    Effect.repeat(next, { until: (line) => pattern.test(line) }).pipe(Effect.timeout("30 seconds"))
  yield* until(/^bound$/)
  return { folder, next, path, until }
})

const WATCHDOG_MS = 1_500

describe.skipIf(lacking !== undefined)("a process under systemd", () => {
  it.live(
    "says that it has started, that it does not hang, and that it stops; a process that hangs says nothing",
    () =>
      Effect.gen(function* () {
        const { folder, next, path, until } = yield* notifySocket
        const { signal } = yield* startProcess(
          {
            DATA_DIR: join(folder, "data"),
            XRPL_MAINNET_URLS: "",
            NOTIFY_SOCKET: path,
            WATCHDOG_USEC: String(WATCHDOG_MS * 1_000)
          },
          /Ledgerhook API: /
        )
        yield* until(/^READY=1 STATUS=/)
        yield* until(/^WATCHDOG=1$/)
        yield* until(/^WATCHDOG=1$/)

        yield* signal("SIGSTOP")
        // One may have been under way.
        const afterStop = yield* Effect.timeoutOption(next, WATCHDOG_MS)
        const later = yield* Effect.timeoutOption(next, 2 * WATCHDOG_MS)
        assert.strictEqual(later._tag, "None", JSON.stringify([afterStop, later]))

        yield* signal("SIGCONT")
        yield* until(/^WATCHDOG=1$/)
        yield* signal("SIGTERM")
        yield* until(/^STOPPING=1 STATUS=/)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "says what its start waits for, and that it is alive meanwhile",
    () =>
      Effect.gen(function* () {
        const { folder, path, until } = yield* notifySocket
        const database = yield* ownDatabase
        yield* database.stop
        yield* startProcess(
          {
            DATABASE_URL: database.url,
            SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
            PORT: String(yield* Effect.promise(freePort)),
            DATA_DIR: join(folder, "data"),
            XRPL_MAINNET_URLS: "",
            NOTIFY_SOCKET: path,
            WATCHDOG_USEC: String(WATCHDOG_MS * 1_000)
          },
          /the start waits for PostgreSQL/
        )
        yield* until(/^STATUS=the start waits for PostgreSQL: DATABASE_URL: /)
        yield* until(/^EXTEND_TIMEOUT_USEC=\d+$/)
        yield* database.start
        yield* until(/^READY=1 /)
        // With DATABASE_URL and SECRETS_KEY the unit gives the program no folder to write to.
        assert.strictEqual(execFileSync("ls", [folder], { encoding: "utf8" }), "socket\n")
      }).pipe(Effect.scoped),
    120_000
  )
})
