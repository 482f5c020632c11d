/** What a soak samples: memory, descriptors and event loop of each process, and the sizes of all that is kept. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Cluster } from "./Cluster.ts"
import type { Member } from "./Member.ts"

/** `process b: memory, MiB` → its value. */
export type Sampled = ReadonlyMap<string, number>

const MEBIBYTE = 2 ** 20

interface TableRow {
  readonly name: string
  readonly tables: number
  readonly indexes: number
  readonly rows: number
}

/** Partitions count for the table that they are part of. */
const TABLES = `
  SELECT coalesce(pg_partition_root(c.oid), c.oid)::regclass::text AS name,
         sum(pg_table_size(c.oid))::float8 AS tables, sum(pg_indexes_size(c.oid))::float8 AS indexes,
         sum(coalesce(pg_stat_get_live_tuples(c.oid), 0))::float8 AS rows
  FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY 1`

/** A file that is deleted meanwhile counts nothing. */
const folderBytes = (folder: string): number => {
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    try {
      bytes += statSync(join(folder, name)).blocks * 512
    } catch {}
  }
  return bytes
}

const metric = (text: string, name: string): number | undefined => {
  const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)
  return found === null ? undefined : Number(found[1])
}

const ofProcess = ({ apiUrl, name, output, pid }: Member) =>
  Effect.gen(function* () {
    const id = pid()
    const values = new Map<string, number>()
    if (id === undefined) return values
    values.set(`process ${name}: descriptors`, readdirSync(`/proc/${id}/fd`).length)
    const memory = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))
    if (memory !== null) values.set(`process ${name}: memory, MiB`, Number(memory[1]) / 1024)
    values.set(`process ${name}: log, MiB`, output().length / MEBIBYTE)
    const text = yield* Effect.tryPromise(() => fetch(`${apiUrl}/metrics`).then((answer) => answer.text()))
    const late = metric(text, "ledgerhook_event_loop_delay_p99_seconds")
    if (late !== undefined) values.set(`process ${name}: event loop delay p99, ms`, late * 1_000)
    const heap = metric(text, "nodejs_heap_size_used_bytes")
    if (heap !== undefined) values.set(`process ${name}: heap, MiB`, heap / MEBIBYTE)
    return values
  }).pipe(
    Effect.timeout("5 seconds"),
    // The process is being restarted.
    Effect.catchCause(() => Effect.succeed(new Map<string, number>()))
  )

const ofDatabase = ({ databaseFolder, rows }: Cluster) =>
  Effect.gen(function* () {
    const values = new Map<string, number>()
    for (const { name, tables, indexes, rows: count } of yield* rows<TableRow>(TABLES)) {
      values.set(`table ${name}: rows`, count)
      values.set(`table ${name}: bytes, MiB`, tables / MEBIBYTE)
      values.set(`table ${name}: indexes, MiB`, indexes / MEBIBYTE)
    }
    values.set("PostgreSQL: WAL, MiB", folderBytes(join(databaseFolder, "pg_wal")) / MEBIBYTE)
    values.set("PostgreSQL: log, MiB", statSync(join(databaseFolder, "../postgres.log")).size / MEBIBYTE)
    return values
  }).pipe(
    Effect.timeout("5 seconds"),
    // The database is being restarted.
    Effect.catchCause(() => Effect.succeed(new Map<string, number>()))
  )

/** What cannot be read at this moment is missing. */
export const sample = Effect.fnUntraced(function* (cluster: Cluster): Effect.fn.Return<Sampled> {
  const parts = yield* Effect.forEach(cluster.members, ofProcess)
  const database = yield* ofDatabase(cluster)
  const values = new Map<string, number>([...parts.flatMap((part) => [...part]), ...database])
  if (cluster.brokerFolder !== undefined)
    values.set("Kafka: all files, MiB", folderBytes(cluster.brokerFolder) / MEBIBYTE)
  values.set("deliveries seen by receivers", cluster.receivers.seen.size)
  return values
})
