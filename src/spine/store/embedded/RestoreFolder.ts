/**
 * Marks a DATA_DIR that a restore is filling, so that nothing else uses it before it is complete. After a kill -9 the
 * mark stays: no service starts there, and the next restore deletes what is there and begins again.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { failure, reasonOf } from "./EmbeddedPostgresError.ts"
import { postmaster } from "./Postmaster.ts"

const markOf = (dataDir: string): string => join(dataDir, "restoring")

export const isHalfRestored = (dataDir: string): boolean => existsSync(markOf(dataDir))

/** A volume that was just formatted contains this folder. */
const IGNORED = ["lost+found"]

/** Marks the folder and empties it of an interrupted restore. Fails if it contains anything else. */
export const beginRestore = (dataDir: string) =>
  Effect.gen(function* () {
    const used = yield* Effect.try({
      try: () => {
        mkdirSync(dataDir, { recursive: true, mode: 0o700 })
        const names = readdirSync(dataDir).filter((name) => !IGNORED.includes(name))
        if (names.length > 0 && !isHalfRestored(dataDir)) return `is not empty`
        const running = postmaster(join(dataDir, "postgres"))
        if (running !== undefined) return `is in use by process ${running.pid} (postgres)`
        // Appending nothing empties no file that a planted link leads to.
        writeFileSync(markOf(dataDir), "", { flag: "a" })
        for (const name of names)
          if (join(dataDir, name) !== markOf(dataDir))
            rmSync(join(dataDir, name), { recursive: true, force: true })
        return undefined
      },
      catch: (error) =>
        failure(`DATA_DIR: ${dataDir} cannot be written (${reasonOf(error)}); choose a folder that can.`)
    })
    if (used !== undefined) {
      return yield* failure(
        `DATA_DIR: ${dataDir} ${used}; a backup is restored into an empty or missing folder only. Choose another one, or move this one away.`
      )
    }
  })

/** Deletes what a restore that failed has left. */
export const abandonRestore = (dataDir: string): Effect.Effect<void> =>
  Effect.sync(() => {
    if (!isHalfRestored(dataDir)) return
    for (const name of readdirSync(dataDir))
      if (!IGNORED.includes(name)) rmSync(join(dataDir, name), { recursive: true, force: true })
  })

/** The folder is complete from here on. */
export const endRestore = (dataDir: string): Effect.Effect<void> =>
  Effect.sync(() => rmSync(markOf(dataDir), { force: true }))
