/** A first start that cannot succeed says why, and its files are removed. */
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { start } from "../../../../src/spine/store/embedded/EmbeddedPostgres.ts"
import { reasonIn } from "../../../../src/spine/store/embedded/FailureReason.ts"

const PROGRAM = path.resolve("test/support/store/embeddedProgram.ts")

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "ledgerhook-first-start-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

const run = (program: string, ...args: ReadonlyArray<string>): SpawnSyncReturns<string> =>
  spawnSync(program, args, { encoding: "utf8" })

/** A small disk; needs root, and in a container the right to mount. */
const mount = (folder: string): boolean =>
  run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder).status === 0

const canMount = (() => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ledgerhook-mount-"))
  const mounted = mount(folder)
  if (mounted) run("umount", folder)
  fs.rmdirSync(folder)
  return mounted
})()

const isRoot = process.getuid?.() === 0
const hasOtherUser = isRoot && run("id", "-u", "postgres").status === 0

/** Starts `embeddedProgram.ts` for the life of the scope, and returns its first output. */
const firstLine = (command: string, args: ReadonlyArray<string>, env = process.env) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(command, args, { env, stdio: ["ignore", "pipe", "ignore"] })),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      }).pipe(
        // The program's server ends a moment later.
        Effect.andThen(
          Effect.sync(() => fs.existsSync(path.join(args.at(-1) ?? "", "postgres", "postmaster.pid"))).pipe(
            Effect.repeat({ while: (runs) => runs, schedule: Schedule.spaced("20 millis") })
          )
        )
      )
  ).pipe(
    Effect.flatMap((child) =>
      Effect.callback<string>((resume) => {
        child.stdout.once("data", (data: Buffer) => resume(Effect.succeed(data.toString().trim())))
        child.once("exit", () => resume(Effect.succeed("it ended without a word")))
      })
    )
  )

describe("a first start", () => {
  it.live.skipIf(!canMount)("on a full disk says that there is no space", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.acquireRelease(
        Effect.sync(() => assert.isTrue(mount(folder))),
        () => Effect.sync(() => run("umount", folder))
      )
      const dataDir = path.join(folder, "data")
      const { message } = yield* Effect.flip(
        Effect.scoped(start({ dataDir, command: "ledgerhook start", owner: true }))
      )
      assert.match(message, /^DATA_DIR: no database could be made in .*No space left on device\)\.$/)
      assert.notInclude(message, "removing")
      assert.deepStrictEqual(
        fs.readdirSync(dataDir).filter((name) => name.startsWith("postgres")),
        []
      )
    })
  )

  // Fewer than the program needs for its commands, and fewer than PostgreSQL needs.
  for (const descriptors of [28, 44]) {
    it.live(`with ${descriptors} file descriptors says that they are too few`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const script = `ulimit -n ${descriptors}; exec "$0" "$1" "$2"`
        const said = yield* firstLine("sh", [
          "-c",
          script,
          process.execPath,
          PROGRAM,
          path.join(folder, "data")
        ])
        assert.match(said, /^DATA_DIR: .*(EMFILE|insufficient file descriptors|too many)/i)
      }).pipe(Effect.scoped)
    )
  }

  it.live("removes files of a killed first start, and not those of one under way", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { pid: ended } = run("true")
      const leftover = path.join(folder, `postgres.new-${ended}`)
      const underWay = path.join(folder, `postgres.new-${process.ppid}`)
      for (const made of [leftover, underWay]) {
        fs.mkdirSync(path.join(made, "base"), { recursive: true })
        fs.writeFileSync(path.join(made, "base", "1"), "")
      }
      yield* Effect.scoped(start({ dataDir: folder, command: "ledgerhook start", owner: true }))
      assert.isFalse(fs.existsSync(leftover))
      assert.isTrue(fs.existsSync(underWay))
    })
  )

  it.live("leaves the server's log to its own user", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.scoped(start({ dataDir: folder, command: "ledgerhook start", owner: true }))
      const { mode } = fs.statSync(path.join(folder, "postgres.log"))
      assert.strictEqual((mode & 0o777).toString(8), "600")
    })
  )

  it.live.skipIf(!isRoot)("works for a user that has no name, as some containers run a program", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const nameless = 54_321
      fs.chownSync(folder, nameless, nameless)
      const dataDir = path.join(folder, "data")
      const as = [`--reuid=${nameless}`, `--regid=${nameless}`, "--clear-groups"]
      const said = yield* firstLine("setpriv", [...as, process.execPath, PROGRAM, dataDir])
      assert.strictEqual(said, "ready")
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!hasOtherUser)(
    "without user namespaces gives the user postgres no more than its cluster",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        fs.chmodSync(folder, 0o711)
        const programs = path.join(folder, "bin")
        fs.mkdirSync(programs)
        fs.writeFileSync(path.join(programs, "unshare"), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
        const dataDir = path.join(folder, "data")
        const uid = Number(run("id", "-u", "postgres").stdout)
        fs.mkdirSync(dataDir, { mode: 0o700 })
        fs.writeFileSync(path.join(dataDir, "secrets.key"), "secret\n", { mode: 0o600 })
        const said = yield* firstLine(process.execPath, [PROGRAM, dataDir], {
          ...process.env,
          PATH: `${programs}:${process.env["PATH"]}`
        })
        assert.strictEqual(said, "ready")
        const ownerOf = (name: string) => fs.statSync(path.join(dataDir, name)).uid
        assert.deepStrictEqual(["", "secrets.key", "postgres.log", "postgres", "run"].map(ownerOf), [
          0,
          0,
          0,
          uid,
          uid
        ])
        const asPostgres = (command: string) =>
          spawnSync("sh", ["-c", command, "sh", dataDir], { uid, gid: uid }).status === 0
        assert.isTrue(asPostgres('test -r "$1/postgres/PG_VERSION"'))
        for (const command of [
          'cat "$1/secrets.key"',
          'mv "$1/secrets.key" "$1/other"',
          'touch "$1/secrets.key.1"',
          'ls "$1"'
        ])
          assert.isFalse(asPostgres(command), command)
      }).pipe(Effect.scoped)
  )
})

describe("what PostgreSQL's programs print", () => {
  it("is reported by its reason, not by its last line", () => {
    const server = "2026-11-23 06:29:11.328 UTC [26989] "
    assert.strictEqual(
      reasonIn(
        `running bootstrap script ... ${"\n"}${server}FATAL:  could not write to file "pg_wal/x": No space left on device\nchild process exited with exit code 1\ninitdb: removing data directory "/x"\n`
      ),
      'could not write to file "pg_wal/x": No space left on device'
    )
    assert.strictEqual(
      reasonIn(
        `${server}FATAL:  insufficient file descriptors\n${server}DETAIL:  System allows 32.\ninitdb: removing data directory "/x"`
      ),
      "insufficient file descriptors: System allows 32"
    )
    assert.strictEqual(
      reasonIn('initdb: error: invalid locale name "x"\ninitdb: hint: y'),
      'invalid locale name "x"'
    )
    assert.strictEqual(reasonIn("sh: something odd\n"), "sh: something odd")
    assert.strictEqual(reasonIn(""), "no reason given")
  })
})
