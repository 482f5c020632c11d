/** The Python receiver package's own tests, run from its source, and its types, which come from the schemas. */
import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { differences, generatedFolders } from "../../src/cli/commands/schemas/SchemaFiles.ts"
import { hasPython } from "./support.ts"

const PACKAGE = "packages/receiver-python"
const files = globSync(`${PACKAGE}/{src,tests}/**/*.py`)

describe("packages/receiver-python", () => {
  it.skipIf(!hasPython)(`verifies, parses and answers${hasPython ? "" : " (no Python 3.9 here)"}`, () => {
    const { status, stderr } = spawnSync("python3", ["-m", "unittest", "discover", `${PACKAGE}/tests`], {
      encoding: "utf8",
      env: { ...process.env, PYTHONPATH: `${PACKAGE}/src`, PYTHONDONTWRITEBYTECODE: "1" }
    })
    assert.strictEqual(status, 0, stderr)
    assert.match(stderr, /Ran \d\d tests/)
  })

  it("has types that are generated from the schemas (npm run schemas writes them)", () => {
    const generated = generatedFolders().filter(([folder]) => folder.startsWith(`${PACKAGE}/`))
    assert.lengthOf(generated, 1)
    for (const [folder, made] of generated) {
      const there = new Map([...made.keys()].map((path) => [path, readFileSync(`${folder}/${path}`, "utf8")]))
      assert.deepStrictEqual(differences(made, there), [])
    }
  })

  it("has short files that begin with what they are for, and no dependency", () => {
    assert.isNotEmpty(files)
    for (const file of files.filter((one) => !one.includes("/generated/"))) {
      const lines = readFileSync(file, "utf8").split("\n")
      assert.match(lines[0]!, /^"""/, file)
      assert.isAtMost(lines.length, 400, file)
      assert.isAtMost(Math.max(...lines.map(({ length }) => length)), 120, file)
    }
    assert.notMatch(readFileSync(`${PACKAGE}/pyproject.toml`, "utf8"), /^(?:optional-)?dependencies/m)
  })
})
