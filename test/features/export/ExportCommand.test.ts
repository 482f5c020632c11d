/** `ledgerhook events export` as it is typed: what wrong flags and an empty log are answered. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../support/program/command.ts"
import { makeFolder } from "../../support/program/makeFolder.ts"
import { databaseUrl, makeDatabase } from "../../support/store/postgres.ts"

const range = ["--from", "2026-11-21", "--to", "2026-11-22"]

describe("ledgerhook events export", () => {
  const wrong: ReadonlyArray<readonly [flags: ReadonlyArray<string>, said: RegExp]> = [
    [
      ["--from", "yesterday", "--to", "2026-11-22", "--out", "x"],
      /from.*a ledger index from 1 to.*UTC day such as/
    ],
    [[...range, "--out", "x", "--type", "nft.*x"], /type.*an event type \(payment\.xrp\) or a family/],
    [[...range, "--out", "x", "--format", "csv"], /format.*ndjson.*parquet/],
    [range, /out/]
  ]
  it.live("names a wrong flag and what it accepts, and exits 2", () =>
    Effect.gen(function* () {
      for (const [flags, said] of wrong) {
        const { code, stderr } = yield* runCommand(["events", "export", ...flags], { environment: {} })
        assert.strictEqual(code, 2, stderr)
        assert.match(stderr, said)
      }
    })
  )

  it.live("says that the log contains no ledger, and leaves no folder", () =>
    Effect.gen(function* () {
      const out = join(yield* makeFolder, "lake")
      const environment = { DATABASE_URL: databaseUrl(yield* makeDatabase) }
      const ended = yield* runCommand(["events", "export", ...range, "--out", out], { environment })
      assert.deepStrictEqual(
        [ended.code, ended.stdout, ended.stderr],
        [1, "", "ledgerhook: the log contains no ledger of mainnet.\n"]
      )
      assert.isFalse(existsSync(out))
    }).pipe(Effect.scoped)
  )
})
