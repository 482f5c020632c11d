/**
 * A real broker and a PostgreSQL that other processes reach by TCP, for benchmarks with many processes. Both end with
 * the scope.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { startBroker } from "../../test/kafka/broker.ts"
import { ownDatabase } from "../../test/support/store/ownDatabase.ts"

/** A broker, and the folder with its data. */
export const broker = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-bench-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const { brokers: address } = yield* Effect.acquireRelease(
    Effect.promise(() => startBroker(folder)),
    (started) => Effect.promise(() => started.stop())
  )
  return { brokers: address, data: join(folder, "data") }
})

/** The value of KAFKA_BROKERS. */
export const brokers = Effect.map(broker, (started) => started.brokers)

/** The value of DATABASE_URL. */
export const databaseUrl = Effect.map(ownDatabase, ({ url }) => url)
