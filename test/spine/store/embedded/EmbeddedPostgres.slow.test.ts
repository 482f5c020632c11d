/** The embedded server under an operator's conditions: real servers, real processes, real kills. */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type EmbeddedServer, start } from "../../../../src/spine/store/embedded/EmbeddedPostgres.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"

const PROGRAM = path.resolve("test/support/store/embeddedProgram.ts")

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "ledgerhook-embedded-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

const service = (dataDir: string) => start({ dataDir, command: "ledgerhook start", owner: true })
const command = (dataDir: string) => start({ dataDir, command: "ledgerhook key list", owner: false })

const run = (server: EmbeddedServer, statement: string) =>
  Effect.scoped(
    Effect.flatMap(PgConnection.make({ ...server }), (connection) => connection.query(statement))
  ).pipe(Effect.map(({ rows }) => rows))

/** Every PostgreSQL process of the folder. */
const processesOf = (dataDir: string): ReadonlyArray<number> => {
  const cluster = path.join(fs.realpathSync(dataDir), "postgres")
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return fs.readlinkSync(`/proc/${name}/cwd`) === cluster
      } catch {
        return false
      }
    })
    .map(Number)
}

const until = (condition: () => boolean) => waitUntil(Effect.sync(condition), "20 seconds")

/** kill -9 of all of them; the death of one may end the next before its turn. */
const killServer = (dataDir: string) =>
  Effect.gen(function* () {
    for (const pid of processesOf(dataDir)) {
      yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGKILL")))
    }
    yield* until(() => processesOf(dataDir).length === 0)
  })

/** Another process that runs the server; resumes with its first line. */
const program = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly child: ChildProcess; readonly said: string }>((resume) => {
      const child = spawn(process.execPath, [PROGRAM, dataDir], { stdio: ["ignore", "pipe", "inherit"] })
      child.stdout.once("data", (data: Buffer) => resume(Effect.succeed({ child, said: data.toString() })))
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** A service that ran `statement` and was then cut off with all its processes, without a chance to tidy up. */
const crashedAfter = (folder: string, statement: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { child } = yield* program(folder)
      const server = yield* command(folder)
      yield* run(server, statement)
      // The service must not restart its server meanwhile.
      child.kill("SIGSTOP")
      yield* killServer(folder)
      return server
    })
  )

describe("embedded PostgreSQL", () => {
  it.live("keeps its data over a restart and leaves no process behind", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.scoped(
        Effect.flatMap(service(folder), (server) => run(server, "CREATE TABLE kept AS SELECT 7 AS n"))
      )
      assert.deepStrictEqual(processesOf(folder), [])
      const rows = yield* Effect.scoped(
        Effect.flatMap(service(folder), (server) => run(server, "SELECT n FROM kept"))
      )
      assert.deepStrictEqual(rows, [{ n: 7 }])
    })
  )

  it.live("recovers committed rows after kill -9 of every server process", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* crashedAfter(folder, "CREATE TABLE kept AS SELECT 7 AS n")
      const rows = yield* Effect.scoped(
        Effect.flatMap(service(folder), (again) => run(again, "SELECT n FROM kept"))
      )
      assert.deepStrictEqual(rows, [{ n: 7 }])
    })
  )

  it.live("restarts the server if it dies under a running service", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* service(folder)
      yield* run(server, "CREATE TABLE t (n int)")
      const before = processesOf(folder)
      for (const pid of before) yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGKILL")))
      yield* until(() => !processesOf(folder).some((pid) => before.includes(pid)))
      const rows = run(server, "SELECT * FROM t").pipe(Effect.eventually, Effect.timeout("20 seconds"))
      assert.deepStrictEqual(yield* rows, [])
    })
  )

  it.live("stops the server when its program is killed, and starts again in that folder", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { child, said } = yield* program(folder)
      assert.strictEqual(said, "ready\n")
      assert.isNotEmpty(processesOf(folder))
      const exited = Effect.callback<void>((resume) => void child.once("exit", () => resume(Effect.void)))
      child.kill("SIGKILL")
      yield* exited
      // Start again at once, while the old server may still be stopping.
      yield* Effect.scoped(Effect.flatMap(service(folder), (server) => run(server, "SELECT 1")))
      yield* until(() => processesOf(folder).length === 0)
    })
  )

  it.live("refuses a folder that another service uses, and names it, within five seconds", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { child } = yield* program(folder)
      const error = yield* Effect.flip(Effect.scoped(service(folder))).pipe(Effect.timeout("5 seconds"))
      assert.strictEqual(
        error.message,
        `DATA_DIR: ${folder} is in use by process ${child.pid} (ledgerhook start); stop it or choose another folder.`
      )
    })
  )

  it.live("lets a command share the service's server and leaves that running", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* service(folder)
      yield* Effect.scoped(
        Effect.flatMap(command(folder), (shared) => run(shared, "CREATE TABLE made (n int)"))
      )
      assert.deepStrictEqual(yield* run(server, "SELECT count(*)::int AS n FROM made"), [{ n: 0 }])
    })
  )

  it.live("runs a server for a command alone, for as long as the command", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.scoped(Effect.flatMap(command(folder), (server) => run(server, "SELECT 1")))
      assert.deepStrictEqual(processesOf(folder), [])
    })
  )

  it.live("lets one of two services that start at once have a new folder", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const both = yield* Effect.all([program(folder), program(folder)], { concurrency: 2 })
      const said = both.map((one) => one.said).sort()
      assert.match(said[0]!, /is in use by process \d+/)
      assert.strictEqual(said[1], "ready\n")
    })
  )

  it.live("starts in a folder whose path is too long for a socket", () =>
    Effect.gen(function* () {
      const folder = path.join(yield* temporaryFolder, "long".repeat(30))
      const server = yield* service(folder)
      assert.isAtMost(Buffer.byteLength(server.path), 107)
      assert.strictEqual(fs.statSync(path.dirname(server.path)).mode & 0o777, 0o700)
      yield* run(server, "SELECT 1")
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => fs.rmSync(path.dirname(server.path), { recursive: true, force: true }))
      )
    })
  )

  it.live("starts after a crash if another process now has the number of the old server", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* crashedAfter(folder, "CREATE TABLE kept AS SELECT 7 AS n")
      // After a container's restart, both lock files may name a process that lives and is not a server.
      for (const lock of [path.join(folder, "postgres", "postmaster.pid"), `${server.path}.lock`]) {
        const [, ...rest] = fs.readFileSync(lock, "utf8").split("\n")
        fs.writeFileSync(lock, [process.ppid, ...rest].join("\n"))
      }
      const rows = yield* Effect.scoped(
        Effect.flatMap(service(folder), (again) => run(again, "SELECT n FROM kept"))
      )
      assert.deepStrictEqual(rows, [{ n: 7 }])
    })
  )

  it.live("starts in spite of files of an interrupted first start", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      fs.mkdirSync(path.join(folder, `postgres.new-${process.pid}`))
      fs.writeFileSync(path.join(folder, `postgres.new-${process.pid}`, "PG_VERSION"), "18\n")
      yield* Effect.scoped(Effect.flatMap(service(folder), (server) => run(server, "SELECT 1")))
    })
  )

  it.live("reports why it cannot use a folder", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = path.join(folder, "file")
      fs.writeFileSync(file, "")
      assert.match(
        (yield* Effect.flip(Effect.scoped(service(file)))).message,
        /^DATA_DIR: .*file is not a folder/
      )
      const below = yield* Effect.flip(Effect.scoped(service(path.join(file, "data"))))
      assert.match(below.message, /^DATA_DIR: /)
      const old = path.join(folder, "old")
      fs.mkdirSync(path.join(old, "postgres"), { recursive: true, mode: 0o700 })
      fs.writeFileSync(path.join(old, "postgres", "PG_VERSION"), "14\n")
      assert.match((yield* Effect.flip(Effect.scoped(service(old)))).message, /made by PostgreSQL 14/)
    })
  )
})
