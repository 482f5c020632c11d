/**
 * The log of a run: one in memory with several clients, as Kafka, or the embedded log, whose records stand in the
 * simulated database.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import type { Settings } from "../../../src/spine/config/Config.ts"
import { readerLayer, unclaimedLayer } from "../../../src/spine/log/embedded/EmbeddedLog.ts"
import { Log, LogReader } from "../../../src/spine/log/Log.ts"
import { makeSharedLog, type SharedLog } from "../../support/log/memory/SharedLog.ts"
import { testSettings } from "../../support/program/settings.ts"
import type { Process } from "./timeline.ts"

export interface LogClient {
  readonly layer: Layer.Layer<Log, unknown, SqlClient.SqlClient | Settings>
  /** The client is silent for too long. */
  readonly expel: () => void
}

export interface RunLog {
  /** For reads of the world, which is no process. */
  readonly log: Log["Service"]
  readonly connect: (process: Process) => LogClient
  readonly rebalance: SharedLog["rebalance"]
}

/** How many of the runs have a log whose transactions take an offset for their marker, as Kafka's do. */
const MARKERS = 0.5

export const sharedLog = (chance: SeededRandom): RunLog => {
  const shared = makeSharedLog(testSettings(), chance.flip(MARKERS))
  return {
    log: shared.connect().log,
    connect: (process) => {
      const { expel, log } = shared.connect(process.turn)
      return { layer: Layer.succeed(Log)(log), expel }
    },
    rebalance: shared.rebalance
  }
}

const only = Effect.die(new Error("the world only reads the log"))

/** One process at a time has the log. */
export const embeddedLog = Effect.fnUntraced(function* <E>(
  world: Layer.Layer<SqlClient.SqlClient, E>
): Effect.fn.Return<RunLog, E> {
  const reader = yield* Effect.provide(LogReader, Layer.provide(readerLayer, world))
  return {
    log: Log.of({
      ...reader,
      transaction: () => only,
      exclusive: () => only,
      consume: () => only,
      awaitOffset: () => only,
      hasMemberBefore: () => only,
      topicIds: () => only,
      reachable: Effect.void,
      applyRetention: only
    }),
    connect: () => ({ layer: unclaimedLayer, expel: () => undefined }),
    rebalance: () => undefined
  }
})
