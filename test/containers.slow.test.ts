/**
 * Runs what the Dockerfile runs, without a container: each stage becomes a folder with the files that it copies, and
 * `npm ci` becomes a link to this folder's packages. So a file that a stage needs and does not copy is noticed.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

const stages = readFileSync("Dockerfile", "utf8")
  .replaceAll("\\\n", " ")
  .split(/^FROM /m)
  .slice(1)
  .map((text) => {
    const [from = "", ...lines] = text.split("\n")
    const copies = lines.filter((line) => line.startsWith("COPY ")).map((line) => line.split(/ +/).slice(1))
    return { name: / AS (\w+)$/.exec(from)?.[1] ?? "image", copies }
  })

/** What .dockerignore takes out of the folders that it lets in. */
const left = readFileSync(".dockerignore", "utf8")
  .split("\n")
  .filter((line) => /^\w/.test(line))

let root: string
const folderOf = (stage: string) => join(root, stage)

const run = (cwd: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` },
    timeout: 120_000
  })
  assert.strictEqual(status, 0, stderr)
  return stdout
}

/** `COPY package.json src ./`: the last path is the target. One that ends with `/` takes files and folders into it. */
const copy = (stage: string, [first = "", ...rest]: ReadonlyArray<string>) => {
  const origin = first.startsWith("--from=") ? first.slice("--from=".length) : undefined
  const paths = origin === undefined ? [first, ...rest] : rest
  const target = paths.at(-1)!
  for (const path of paths.slice(0, -1)) {
    if (origin === "dependencies") continue
    const source = origin === undefined ? path : join(folderOf(origin), path.replace("/app/", ""))
    const place = target.endsWith("/") ? join(target, path) : target
    cpSync(source, join(folderOf(stage), place), {
      recursive: true,
      filter: (file) => origin !== undefined || !left.includes(relative(".", file))
    })
  }
}

describe("the stages of the Dockerfile", () => {
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "ledgerhook-image-"))
    for (const { name, copies } of stages) {
      for (const paths of copies) copy(name, paths)
      symlinkSync(resolve("node_modules"), join(folderOf(name), "node_modules"))
      if (name === "dashboard") run(folderOf(name), "tools/dashboard.js")
    }
  }, 180_000)
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it("copy what the dashboard needs to be built, and the image gets it", () => {
    for (const stage of ["dashboard", "image"])
      assert.isTrue(existsSync(join(folderOf(stage), "dashboard/dist/index.html")), stage)
    assert.isFalse(existsSync(join(folderOf("image"), "dashboard/src")))
    assert.isTrue(existsSync(join(folderOf("image"), "docs/api.md")))
    assert.isFalse(existsSync(join(folderOf("image"), "docs/images")))
  })

  it("copy what the program needs: the demo's events arrive", () => {
    const shown = run(folderOf("image"), "bin/ledgerhook.js", "demo", "--ledgers", "1")
    assert.include(shown, "Every wanted event arrived")
  }, 150_000)
})
