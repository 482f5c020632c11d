/** `backup` and `restore`: what they refuse, and what a restore that fails or is killed leaves behind. */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../../support/program/command.ts"
import { backupFile } from "../../../support/upgrade/fixture.ts"

const cwd = mkdtempSync(join(tmpdir(), "ledgerhook-backup-"))
const folder = (name: string) => join(cwd, name)
const file = folder("whole.backup")

const run = (dataDir: string, ...args: ReadonlyArray<string>) =>
  Effect.runPromise(
    runCommand(args, {
      environment: { DATA_DIR: folder(dataDir), XRPL_MAINNET_URLS: "", LOG_LEVEL: "error" }
    })
  )

const NAME = `O'Brien "and" Söhne \\ Co, {x} (y)`

beforeAll(async () => {
  await run("first", "account", "create", "--name", NAME, "--email", "a@example.com", "--plan", "builder")
  writeFileSync(join(folder("first"), "secrets.key"), `${Buffer.alloc(32, 3).toString("base64")}\n`)
  const { code, stderr } = await run("first", "backup", file)
  assert.deepStrictEqual([code, stderr], [0, ""])
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

describe("a backup", () => {
  it("is restored with its key file into a missing folder", async () => {
    const { code, stdout } = await run("second", "restore", file)
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(JSON.parse(stdout).keys, ["secrets.key"])
    const [accounts, restored] = [
      await run("first", "account", "list"),
      await run("second", "account", "list")
    ]
    assert.strictEqual(JSON.parse(restored.stdout)[0].name, NAME)
    assert.strictEqual(restored.stdout, accounts.stdout)
    const key = (name: string) => readFileSync(join(folder(name), "secrets.key"), "utf8")
    assert.strictEqual(key("second"), key("first"))
  })

  it("replaces no file, and leaves none behind", async () => {
    const { code, stderr } = await run("first", "backup", file)
    assert.deepStrictEqual([code, stderr], [1, `ledgerhook: ${file}: exists already; choose another name.\n`])
    const missing = await run("first", "backup", join(cwd, "no", "folder"))
    assert.match(missing.stderr, /^ledgerhook: .*no\/folder: ENOENT/)
    assert.deepStrictEqual(
      readdirSync(cwd).filter((name) => name.endsWith(".part")),
      []
    )
  })

  it("can be read by its user only", () => assert.strictEqual(statSync(file).mode & 0o777, 0o600))

  for (const [what, plant] of [
    ["a link to another file", (name: string, other: string) => symlinkSync(other, name)],
    ["a link to a missing file", (name: string, other: string) => symlinkSync(`${other}.new`, name)],
    ["a file that everybody may read", (name: string) => writeFileSync(name, "mine", { mode: 0o666 })],
    ["a pipe", (name: string) => execFileSync("mkfifo", [name])]
  ] as const) {
    for (const ending of ["", ".part"]) {
      it(`is not written into ${what} that stands under its name with "${ending}"`, async () => {
        const place = mkdtempSync(join(cwd, "planted-"))
        const [wanted, other] = [join(place, "wanted.backup"), join(place, "other")]
        writeFileSync(other, "of somebody else")
        const planted = `${wanted}${ending}`
        plant(planted, other)
        if (lstatSync(planted).isFile()) chmodSync(planted, 0o666)
        const before = lstatSync(planted)
        const { code, stderr } = await run("first", "backup", wanted)
        assert.strictEqual(code, 1)
        assert.match(stderr, new RegExp(`^ledgerhook: ${planted}: exists already.*\\.\n$`))
        const { ino, mode, size } = lstatSync(planted)
        assert.deepStrictEqual([ino, mode, size], [before.ino, before.mode, before.size])
        assert.strictEqual(readFileSync(other, "utf8"), "of somebody else")
        assert.sameMembers(readdirSync(place), ["other", `wanted.backup${ending}`])
      })
    }
  }

  it("is not restored into a folder that contains anything", async () => {
    const { code, stderr } = await run("first", "restore", file)
    assert.strictEqual(code, 1)
    assert.match(stderr, /^ledgerhook: DATA_DIR: .*first is not empty; a backup is restored into an empty /)
  })

  it("of release 0.2 is refused: release 0.3 upgrades it first", async () => {
    const older = backupFile("0.2.0")
    const { code, stderr } = await run("third", "restore", older)
    assert.deepStrictEqual(
      [code, stderr],
      [
        1,
        `ledgerhook: ${older}: was written by ledgerhook 0.2.0, and cannot be restored by this version: restore it with ledgerhook 0.3, start that version until it is ready, and back it up again.\n`
      ]
    )
    assert.deepStrictEqual(readdirSync(folder("third")), [])
  })

  for (const [what, bytes] of [
    ["cut off", (whole: Buffer) => whole.subarray(0, whole.length / 2)],
    ["changed", (whole: Buffer) => whole.map((byte, i) => (i === whole.length - 20 ? byte ^ 1 : byte))],
    ["no backup", () => Buffer.from("no backup")]
  ] as const) {
    it(`that is ${what} is refused, and nothing of it stays`, async () => {
      const other = folder(`${what}.backup`)
      writeFileSync(other, bytes(readFileSync(file)))
      const { code, stderr } = await run("third", "restore", other)
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        new RegExp(`^ledgerhook: ${other}: is not a backup of ledgerhook, or it is damaged.`)
      )
      assert.deepStrictEqual(readdirSync(folder("third")), [])
    })
  }

  it("whose restore was killed is not used by any command, and can be restored again", async () => {
    mkdirSync(folder("killed"))
    for (const left of ["restoring", "left.txt"]) writeFileSync(join(folder("killed"), left), "")
    const { stderr } = await run("killed", "migrate")
    assert.match(stderr, /^ledgerhook: DATA_DIR: a restore into .*killed has not ended; wait for it, or run /)
    assert.strictEqual((await run("killed", "restore", file)).code, 0)
    assert.isFalse(existsSync(join(folder("killed"), "left.txt")))
    assert.include((await run("killed", "account", "list")).stdout, "Söhne")
  })

  it("is for the embedded store only", async () => {
    for (const [name, value] of [
      ["DATABASE_URL", "postgres://nobody@127.0.0.1:1/x"],
      ["KAFKA_BROKERS", "127.0.0.1:1"]
    ] as const) {
      const { code, stderr } = await Effect.runPromise(
        runCommand(["backup", folder("own.backup")], {
          environment: { [name]: value, DATA_DIR: folder("first") }
        })
      )
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        new RegExp(`^ledgerhook: ${name} is set, and this command backs up only the embedded`)
      )
    }
  })
})
