/**
 * A database that a release has migrated must stay one that the next release can open. So the files of the migrations
 * that were released never change. A release writes their hashes, and test/spine/store/ReleasedMigrations.test.ts
 * compares.
 */
import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { basename } from "node:path"

const FOLDER = "src/spine/store/migrations"
export const RELEASED_MIGRATIONS = `${FOLDER}/released.json`

/** The SHA-256 of each migration's file, by name. */
export const migrationHashes = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    globSync(`${FOLDER}/*.ts`)
      .sort()
      .map((file) => [basename(file), createHash("sha256").update(readFileSync(file)).digest("hex")])
  )
