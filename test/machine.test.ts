/** What each kind of machine gets: its PostgreSQL, its Node, a socket's path that its system accepts, or a sentence. */
import { spawnSync } from "node:child_process"
import { readFileSync, realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../package.json" with { type: "json" }
import { packageFor } from "../src/spine/store/embedded/Binaries.ts"
import { parentOf, workingFolderOf } from "../src/spine/store/embedded/Processes.ts"
import { PORT, socketFolderIn } from "../src/spine/store/embedded/SocketFolder.ts"

interface Machine {
  readonly platform: string
  readonly arch: string
}
/** JavaScript without types. */
const {
  nodePackage,
  problemOf
}: {
  readonly nodePackage: (machine: Machine) => string
  readonly problemOf: (
    machine: Machine & { readonly version: string },
    hasPinned: boolean
  ) => string | undefined
} = await import(resolve("bin/machine.js"))

const platforms = ["linux", "darwin"].flatMap((platform) =>
  ["x64", "arm64"].map((arch) => ({ platform, arch }))
)
const optional: Readonly<Record<string, string>> = packageJson.optionalDependencies

const { packages }: { readonly packages: Readonly<Record<string, Readonly<Record<string, unknown>>>> } =
  JSON.parse(readFileSync("package-lock.json", "utf8"))
const locked = (name: string) => packages[`node_modules/${name}`]

describe.each(platforms)("on $platform-$arch", ({ platform, arch }) => {
  it("npm ci installs this machine's PostgreSQL, of the one version, and no other machine does", () => {
    const name = packageFor(platform, arch)
    const found = locked(name)
    assert.deepStrictEqual(
      [found?.os, found?.cpu, found?.optional, found?.version],
      [[platform], [arch], true, optional[packageFor("linux", "x64")]]
    )
    assert.strictEqual(optional[name], found?.version)
  })

  it("runs on npm's Node, or on the machine's if it is 24 or later", () => {
    const hasPinned = locked(nodePackage({ platform, arch })) !== undefined
    assert.strictEqual(hasPinned, platform === "linux")
    const on = (version: string) => problemOf({ platform, arch, version }, hasPinned)
    assert.isUndefined(on("v24.0.0"))
    assert.isUndefined(on("v26.1.0"))
    if (hasPinned) assert.isUndefined(on("v20.20.2"))
    else
      assert.strictEqual(
        on("v22.9.0"),
        `npm installs no Node for darwin-${arch}, and the one here is v22.9.0; install Node 24 or later.`
      )
  })
})

it("Windows is told to use WSL 2, with any Node", () => {
  assert.match(problemOf({ platform: "win32", arch: "x64", version: "v24.21.0" }, false) ?? "", /WSL 2/)
})

it("a socket's path has less than 104 bytes, which is what macOS takes, its temporary folder included", () => {
  const temporary = "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T"
  for (const dataDir of ["/data", join("/Users", "a".repeat(60), "data"), join("/Users", "ä".repeat(200))]) {
    const socket = join(socketFolderIn(dataDir, temporary), `.s.PGSQL.${PORT}`)
    assert.isBelow(Buffer.byteLength(socket), 104)
  }
})

// The programs that macOS has for this are on most Linux machines too.
const has = (program: string) => spawnSync(program, ["-v"]).error === undefined
describe.skipIf(!has("ps") || !has("lsof"))("without /proc", () => {
  it.each(["linux", "darwin"] as const)(
    "a process is asked for its folder and its parent, as on %s",
    (on) => {
      assert.strictEqual(workingFolderOf(process.pid, on), realpathSync(process.cwd()))
      assert.strictEqual(parentOf(process.pid, on), process.ppid)
      const ended = spawnSync("true").pid
      assert.deepStrictEqual([workingFolderOf(ended, on), parentOf(ended, on)], [undefined, undefined])
    }
  )
})
