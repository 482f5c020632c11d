/** Where PostgreSQL's libraries are found if the folder of the npm package cannot be written. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { commandOf, findBinaries } from "../../../../src/spine/store/embedded/Binaries.ts"

let folder: string
let root: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ledgerhook-binaries-"))
  root = join(folder, "package")
  mkdirSync(join(root, "native/bin"), { recursive: true })
  for (const name of ["postgres", "initdb"]) writeFileSync(join(root, "native/bin", name), "")
  const link = { source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }
  writeFileSync(join(root, "native/pg-symlinks.json"), JSON.stringify([link]))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("the links to libraries", () => {
  it("are made in the package", () => {
    mkdirSync(join(root, "native/lib"))
    const binaries = findBinaries(folder, root)!
    assert.deepStrictEqual(binaries, { bin: join(root, "native/bin"), libraryPath: undefined })
    assert.strictEqual(readlinkSync(join(root, "native/lib/libpq.so.5")), "libpq.so.5.18")
    assert.deepStrictEqual(commandOf(binaries, "initdb"), [join(root, "native/bin/initdb")])
  })

  // Without the folder `lib` no link can be made there, not even by root.
  it("are made in DATA_DIR if the package cannot be written, and follow another installation", () => {
    const libraries = join(folder, "data/postgres-libraries")
    mkdirSync(libraries, { recursive: true })
    symlinkSync("/opt/older/libpq.so.5.17", join(libraries, "libpq.so.5"))
    for (let start = 0; start < 2; start++) {
      const binaries = findBinaries(join(folder, "data"), root)!
      assert.deepStrictEqual(commandOf(binaries, "initdb"), [
        "env",
        `LD_LIBRARY_PATH=${libraries}:${join(root, "native/lib")}`,
        join(root, "native/bin/initdb")
      ])
      assert.deepStrictEqual(readdirSync(libraries), ["libpq.so.5"])
      assert.strictEqual(readlinkSync(join(libraries, "libpq.so.5")), join(root, "native/lib/libpq.so.5.18"))
    }
  })

  it("are refused with one sentence if the loader could not read the folder's name", () => {
    assert.throws(
      () => findBinaries(join(folder, "a:b"), root),
      /^PostgreSQL cannot be set up: .* cannot be written \(ENOENT\); run `ledgerhook demo --ledgers 1` once as /
    )
  })
})
