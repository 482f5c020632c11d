/** A migration that was released never changes: databases have run it. A change is a new migration. */
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { migrationHashes, RELEASED_MIGRATIONS } from "../../../tools/releasedMigrations.ts"

describe("the migrations of the newest release", () => {
  it("are unchanged", () => {
    // Before the first release there is no such file.
    const released: Readonly<Record<string, string>> = existsSync(RELEASED_MIGRATIONS)
      ? JSON.parse(readFileSync(RELEASED_MIGRATIONS, "utf8"))
      : {}
    const present = migrationHashes()
    for (const [file, hash] of Object.entries(released))
      assert.strictEqual(present[file], hash, `${file} was released; add a new migration instead.`)
  })
})
