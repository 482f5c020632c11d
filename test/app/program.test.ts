/**
 * The program from outside: exit codes, its output streams, `.env`. A run is a real process where `.env` is part of it,
 * and for one that prints and one that fails.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { runCommand } from "../support/program/command.ts"
import { runProgram } from "../support/program/program.ts"

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "ledgerhook-program-"))
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const run = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  input?: string
) => runProgram(args, { cwd, environment, ...(input === undefined ? {} : { input }) })

/** Runs the program in this process. */
const inside = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  input?: string
) => runCommand(args, { environment, ...(input === undefined ? {} : { input }) })

const sender = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
const receiver = "rrrrrrrrrrrrrrrrrrrrBZbvji"

const payment = {
  hash: "A".repeat(64),
  tx_json: { TransactionType: "Payment", Account: sender, Destination: receiver, Amount: "25" },
  meta: { TransactionIndex: 0, TransactionResult: "tesSUCCESS", AffectedNodes: [], delivered_amount: "25" }
}
const ledger = { ledger_index: 7, close_time: 800_000_000, transactions: [payment] }

describe("usage", () => {
  it.live("prints its version and its help, and every command's", () =>
    Effect.gen(function* () {
      assert.strictEqual(run(["--version"]).stdout.trim(), `ledgerhook ${packageJson.version}`)
      const { code, stdout } = yield* inside(["--help"])
      assert.strictEqual(code, 0)
      for (const command of [
        "start",
        "demo",
        "migrate",
        "account",
        "key",
        "webhook",
        "secrets",
        "ledger",
        "listen",
        "doctor"
      ])
        assert.include(stdout, command)
      const detect = yield* inside(["ledger", "detect", "--help"])
      assert.strictEqual(detect.code, 0)
      for (const section of ["DESCRIPTION", "USAGE", "EXAMPLES"]) assert.include(detect.stdout, section)
    })
  )

  for (const args of [
    ["nonsense"],
    ["start", "--nonsense"],
    ["listen", "--port", "70000"],
    ["ledger", "detect"]
  ]) {
    it.live(`exits 2 and points to the help for: ${args.join(" ")}`, () =>
      Effect.gen(function* () {
        const { code, stdout, stderr } = yield* inside(args)
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(stderr, /^ledgerhook: .+\nTry: ledgerhook.* --help\n$/)
      })
    )
  }
})

describe("flags", () => {
  it("report in our own words which values they accept, for any input", async () => {
    const wrong: ReadonlyArray<readonly [args: string, said: string]> = [
      ["listen --port abc", 'flag --port: "abc". Expected: a port from 0 to 65535'],
      ["listen --port 1e3", 'flag --port: "1e3". Expected: a port from 0 to 65535'],
      ["listen --status abc", 'flag --status: "abc". Expected: a status from 200 to 599'],
      ["demo --ledgers 0.5", 'flag --ledgers: "0.5". Expected: a number from 1 to 1000000'],
      ["ledger record --from x", 'flag --from: "x". Expected: a ledger index from 1 to 4294967295'],
      ["listen --port \u001b[2J", 'flag --port: "\\u001b[2J". Expected: a port from 0 to 65535']
    ]
    for (const [args, said] of wrong) {
      const { code, stderr } = await Effect.runPromise(inside(args.split(" ")))
      assert.strictEqual(code, 2)
      assert.strictEqual(stderr.split("\n")[0], `ledgerhook: Invalid value for ${said}`)
    }
  })

  it.live("are marked in --help where they are required, and shown with their defaults", () =>
    Effect.gen(function* () {
      const listen = (yield* inside(["listen", "--help"])).stdout
      for (const shown of ["default: 4000", "default: 127.0.0.1", "default: 200", "default: 0s"])
        assert.include(listen, shown)
      assert.notInclude(listen, "(required)")
      const replay = (yield* inside(["replay", "create", "--help"])).stdout
      assert.deepStrictEqual(
        replay
          .split("\n")
          .filter((line) => line.includes("(required)"))
          .map((line) => line.trim().split(" ")[0]),
        ["--webhook"]
      )
      const create = (yield* inside(["key", "create", "--help"])).stdout
      for (const flag of ["--account", "--name", "--scopes"])
        assert.match(create, new RegExp(`${flag} .*\\(required\\)`))
      assert.match(create, /--environment .*\(default: live\)/)
      assert.match((yield* inside(["ledger", "detect", "--help"])).stdout, /file\.\.\. .*\(required\)/)
    })
  )
})

describe("settings", () => {
  it.live("that are wrong exit 2, with one line each and no stack", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* inside(["migrate"], { PORT: "70000", KAFKA_BROKERS: "a" })
      assert.strictEqual(code, 2)
      assert.sameMembers(stderr.trim().split("\n"), [
        'ledgerhook: PORT: "70000" is not valid; accepted: a port from 0 to 65535 (0: any free port).',
        'ledgerhook: KAFKA_BROKERS: "a" is not valid; accepted: a comma-separated list of host:port.'
      ])
    })
  )

  it.live("without a cluster make `topics` fail with one sentence", () =>
    Effect.gen(function* () {
      for (const command of ["diff", "apply"]) {
        const { code, stdout, stderr } = yield* inside(["topics", command])
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(stderr, /^ledgerhook: KAFKA_BROKERS is not set, so the embedded log is used/)
      }
    })
  )

  it("are also read from .env, and the environment wins", () => {
    writeFileSync(join(cwd, ".env"), "PORT=70000\n")
    try {
      assert.strictEqual(run(["migrate"]).code, 2)
      assert.strictEqual(run(["doctor", "--json"], { PORT: "0", XRPL_MAINNET_URLS: "" }).code, 0)
    } finally {
      rmSync(join(cwd, ".env"))
    }
  })

  it.live("are not checked by commands that need none", () =>
    Effect.gen(function* () {
      const { code } = yield* inside(["ledger", "detect", "-"], { PORT: "70000" }, JSON.stringify(ledger))
      assert.strictEqual(code, 0)
    })
  )

  const address = "127.0.0.1:1/x"
  const unusable = [
    // `start` waits for it.
    ["a database that is away", "migrate", { DATABASE_URL: `postgres://u:hunter2@${address}` }, address],
    ["a folder that cannot be written", "start", { DATA_DIR: "/dev/null/data" }, "/dev/null/data"]
  ] as const
  for (const [what, command, environment, said] of unusable) {
    it.live(`that are well-formed but unusable exit 1, with one line: ${what}`, () =>
      Effect.gen(function* () {
        const given = { XRPL_MAINNET_URLS: "", PORT: "0", LOG_LEVEL: "error", ...environment }
        const { code, stderr } = command === "start" ? run([command], given) : yield* inside([command], given)
        assert.strictEqual(code, 1)
        assert.include(stderr, said)
        assert.strictEqual(stderr.trim().split("\n").length, 1, stderr)
        assert.notInclude(stderr, "hunter2")
      })
    )
  }
})

describe("commands on stored data", () => {
  const nobody = "acct_01KAJ0Q4M8000000G3T5W7Y9ZB"
  for (const command of [
    "account list",
    `account set-plan ${nobody} builder`,
    `key list --account ${nobody}`,
    "webhook list",
    "status",
    "webhook preview wh_01KAJ0Q4M8000000G3T5W7Y9ZB",
    "replay list",
    "secrets rotate",
    "ledger verify --from 5 --to 9"
  ]) {
    it.live(`report a missing database, and create none: ${command}`, () =>
      Effect.gen(function* () {
        const folder = join(cwd, "mistyped")
        const { code, stdout, stderr } = yield* inside(command.split(" "), { DATA_DIR: folder })
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(
          stderr,
          /^ledgerhook: DATA_DIR: there is no database in \/.*\/mistyped; correct DATA_DIR, or .*\n$/
        )
        assert.isFalse(existsSync(folder))
      })
    )
  }
})

describe("ledger detect", () => {
  const file = () => {
    const path = join(cwd, "ledger.json")
    writeFileSync(path, JSON.stringify(ledger, null, 2))
    return path
  }
  const keys = (line: string) => Object.keys(JSON.parse(line))
  const eventKeys = "event_id event_type ledger_index timestamp payload accounts balance_changes".split(" ")

  it.live("prints one JSON object a line with the specified fields in order", () =>
    Effect.gen(function* () {
      const { code, stdout, stderr } = yield* inside(["ledger", "detect", file()])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.deepStrictEqual(keys(stdout), eventKeys)
      const event = JSON.parse(stdout)
      assert.strictEqual(event.event_id, `xrpl:7:${payment.hash}:payment.xrp`)
      assert.sameMembers(event.accounts, [sender, receiver])
    })
  )

  it.live("prefixes the file name if there are several files", () =>
    Effect.gen(function* () {
      const { stdout } = yield* inside(
        ["ledger", "detect", file(), "-"],
        {},
        JSON.stringify([ledger, ledger])
      )
      const lines = stdout.trim().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).file),
        [file(), "-", "-"]
      )
      assert.deepStrictEqual(keys(lines[0]!), ["file", ...eventKeys])
    })
  )

  it.live("exits 1 after bad input, with file and line on standard error, and reads the rest", () =>
    Effect.gen(function* () {
      const { code, stdout, stderr } = yield* inside(
        ["ledger", "detect", "nowhere.json", "-", file()],
        {},
        "{\n x"
      )
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(
        stderr
          .trim()
          .split("\n")
          .map((line) => line.split(": ").slice(0, 2).join(": ")),
        ["ledgerhook: nowhere.json", "ledgerhook: -:2"]
      )
      assert.strictEqual(stdout.trim().split("\n").length, 1)
    })
  )
})

describe("ledger detect on hostile input", () => {
  const good = JSON.stringify(ledger)
  const name = "good.json"
  const inFolder = (file: string) => join(cwd, file)
  /** Detects the given file and a good one after it, whose event is printed whatever the first file contains. */
  const detecting = (content: string, file = "bad.json") =>
    Effect.gen(function* () {
      writeFileSync(inFolder(file), content)
      writeFileSync(inFolder(name), good)
      const { code, stdout, stderr } = yield* inside(["ledger", "detect", inFolder(file), inFolder(name)])
      assert.strictEqual(code, 1)
      const files = stdout
        .trim()
        .split("\n")
        .map((line) => basename(JSON.parse(line).file))
      return { files, said: stderr.trimEnd().replaceAll(`${cwd}/`, "").split("\n") }
    })

  it.live("names a file that is nested too deep, and reads the next one", () =>
    Effect.gen(function* () {
      const { files, said } = yield* detecting("[".repeat(1_800) + "]".repeat(1_800))
      assert.deepStrictEqual(files, [name])
      assert.strictEqual(said.length, 1)
      assert.match(said[0]!, /^ledgerhook: bad\.json:1: arrays and objects nested more than 100 levels deep/)
    })
  )

  it.live("shows 100 faults of a file, counts the others, and prints the events between them", () =>
    Effect.gen(function* () {
      const { files, said } = yield* detecting(`${good}\n${"x\n".repeat(5_000)}${good}\n`)
      assert.deepStrictEqual(files, ["bad.json", "bad.json", name])
      assert.strictEqual(said.length, 101)
      assert.strictEqual(said[99], "ledgerhook: bad.json:101: not valid JSON: Unexpected token 'x'.")
      assert.strictEqual(said[100], "ledgerhook: bad.json: 4900 more faults are not shown.")
    })
  )

  it.live("escapes control characters of a file and of its name", () =>
    Effect.gen(function* () {
      const { said } = yield* detecting("\u001b[2J\u009b", "\u001b[2J\n.json")
      assert.deepStrictEqual(said, [
        "ledgerhook: \\u001b[2J\\u000a.json:1: not valid JSON: Unexpected token '\\u001b'."
      ])
    })
  )
})
