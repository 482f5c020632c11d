/** `npm run kafka` as a command. Other tests cover the Kafka and the registry that it starts. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"

it("npm run kafka takes --registry and --data, and says so when it gets something else", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "run.ts"), "--other"], {
    encoding: "utf8"
  })
  assert.deepStrictEqual([status, stderr], [2, "Usage: npm run kafka [-- [--registry] [--data DIR]]\n"])
})
