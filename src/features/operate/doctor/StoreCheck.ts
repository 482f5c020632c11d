/** `doctor` checks the database: whether DATA_DIR or DATABASE_URL can be used, and the data in it. */
import { existsSync } from "node:fs"
import { mkdtemp, rmdir } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings, type SettingsShape, watchedNetworks } from "../../../spine/config/Config.ts"
import type { LogIdentity } from "../../../spine/store/LogIdentity.ts"
import * as Sql from "../../../spine/store/Sql.ts"
import { Fault, type Finding, finding } from "./Finding.ts"
import { endedChains, type LastTaken, lastInDatabase } from "./LastTaken.ts"
import {
  alertFinding,
  deadLettersFinding,
  failingFinding,
  reportFinding,
  secretsFinding,
  storedLog
} from "./StoredChecks.ts"

const nearestExisting = (path: string): string => (existsSync(path) ? path : nearestExisting(dirname(path)))

const fixes: Readonly<Record<string, string>> = {
  ENOSPC: "Free space on its disk",
  EDQUOT: "Raise the disk quota of this user",
  EMFILE: "Raise the limit of open files (`ulimit -n`)",
  ENFILE: "Raise fs.file-max"
}

/** Tries to write: permission bits are misleading for root, on read-only disks and in containers. */
const writable = (folder: string): Effect.Effect<void, Fault> =>
  Effect.tryPromise({
    try: async () => rmdir(await mkdtemp(join(folder, ".ledgerhook-doctor-"))),
    catch: (error) => {
      // Node's file errors carry a code.
      const { code } = error as NodeJS.ErrnoException
      return new Fault({
        detail: `DATA_DIR: ${folder} cannot be written (${code})`,
        fix: `${fixes[code ?? ""] ?? "Allow this user to write there"}, or set DATA_DIR to another folder.`
      })
    }
  })

/** `taken`: the last ledgers in the embedded log; undefined if they cannot be read, or the log is on Kafka. */
export const storeCheck = Effect.fnUntraced(function* (settings: SettingsShape) {
  const stored: Array<Finding | undefined> = []
  let log: LogIdentity | undefined
  let taken: LastTaken | undefined
  let ended: ReadonlySet<string> = new Set()

  /** One connection for all checks, because the embedded PostgreSQL may have to be started. Returns its version. */
  const database = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      readonly version: string
    }>`SELECT current_setting('server_version') AS version`
    stored.push(
      yield* secretsFinding(settings),
      yield* reportFinding(settings),
      yield* failingFinding,
      yield* alertFinding,
      yield* deadLettersFinding
    )
    log = yield* storedLog
    ended = yield* endedChains
    if (settings.kafka === undefined) taken = yield* lastInDatabase(watchedNetworks(settings))
    return row?.version ?? "unknown version"
  }).pipe(
    Effect.provide(Sql.unmigratedLayer({ command: "ledgerhook doctor", owner: false })),
    Effect.provideService(Settings, settings)
  )

  const embedded = Effect.gen(function* () {
    const folder = resolve(settings.dataDir)
    yield* writable(nearestExisting(folder))
    // A folder that does not exist yet is not created here.
    if (!existsSync(join(folder, "postgres"))) {
      taken = new Map()
      return `the first start will create ${folder}`
    }
    const version = yield* Effect.mapError(
      database,
      ({ message: detail }) =>
        new Fault({ detail, fix: "Stop the program that uses the folder, or set DATA_DIR to another one." })
    )
    return `embedded PostgreSQL ${version} in ${folder}`
  })

  const found =
    settings.databaseUrl === undefined
      ? yield* finding("store", "See postgres.log in DATA_DIR for the reason.", embedded)
      : yield* finding(
          "store",
          "Start that PostgreSQL, or correct DATABASE_URL.",
          Effect.map(database, (version) => `PostgreSQL ${version} at DATABASE_URL`)
        )
  return {
    findings: found.status === "ok" ? [found, ...stored.filter((one) => one !== undefined)] : [found],
    log,
    taken,
    ended
  }
})
