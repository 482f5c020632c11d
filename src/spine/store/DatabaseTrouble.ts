/**
 * What the database lately lacked: disk space, memory, connections, or its start is not finished. The log and `/readyz`
 * show PostgreSQL's words, and the setting and folder that they are about. Statements that fail for another reason do
 * not count.
 */
import { resolve } from "node:path"
import { Context, Effect, Layer, References } from "effect"
import { SqlError } from "effect/sql"
import { Settings } from "../config/Config.ts"
import { StageLimits } from "../config/StageLimits.ts"
import { errorText } from "../observe/Logging.ts"
import { monotonicNow } from "../words/Monotonic.ts"

/** Classes of SQLSTATE: insufficient resources, operator intervention, system error. */
const TROUBLE = /^(?:53|57P|58)/

const STANDBY_WAIT =
  "commits wait for a synchronous standby that does not answer; repair it, or take it out of synchronous_standby_names"

/** A process writes every 3 s, and what waits is looked at every 5 s. */
const BLOCKED_SHOWN_MS = 10_000

const advice: Readonly<Record<string, string>> = {
  "53100": "; free space on its disk",
  "53300": "; raise its max_connections, or stop other programs that use it",
  EMFILE: "; raise this process's limit of open files (`ulimit -n`, or LimitNOFILE of systemd)"
}

/** The end of a sentence about the database; undefined if the error is about the statement. Pure. */
export const troubleOf = (error: SqlError.SqlError): string | undefined => {
  const { cause, operation } = error.reason
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  if (operation !== "connect" && !TROUBLE.test(code)) return undefined
  // Node's message contains the server's address.
  const text = cause instanceof Error && "syscall" in cause ? `cannot be reached (${code})` : errorText(error)
  return `${text}${advice[code] ?? ""}`
}

export interface Trouble {
  /** Of errors of other kinds nothing is noted. */
  readonly note: (error: unknown) => Effect.Effect<void>
  /** A commit waits for a synchronous standby. */
  readonly noteStandbyWait: Effect.Effect<void>
  /** The newest trouble, with the setting, for a minute. */
  readonly recent: Effect.Effect<string | undefined>
  /** That commits do not end, until some seconds after the last was seen to wait. */
  readonly blocked: Effect.Effect<string | undefined>
}

/** Without the layer: commands and tests note nothing. */
export class DatabaseTrouble extends Context.Reference<Trouble>("ledgerhook/storage/DatabaseTrouble", {
  defaultValue: () => ({
    note: () => Effect.void,
    noteStandbyWait: Effect.void,
    recent: Effect.succeed(undefined),
    blocked: Effect.succeed(undefined)
  })
}) {
  static readonly layer = Layer.effect(
    DatabaseTrouble,
    Effect.gen(function* () {
      const { dataDir, databaseUrl } = yield* Settings
      const { shortageShownMs } = yield* StageLimits
      const where =
        databaseUrl === undefined
          ? `the database in ${resolve(dataDir)} (DATA_DIR)`
          : "the PostgreSQL of DATABASE_URL"
      let newest = { text: "", atMs: Number.NEGATIVE_INFINITY }
      let blockedAtMs = Number.NEGATIVE_INFINITY
      const say = Effect.fnUntraced(function* (trouble: string) {
        newest = { text: `${where}: ${trouble}`, atMs: yield* monotonicNow }
        // Without the id of a request: all requests together write it once in 10 s.
        yield* Effect.provideService(Effect.logWarning(newest.text), References.CurrentLogAnnotations, {})
      })
      return {
        note: (error) => {
          const trouble = SqlError.isSqlError(error) ? troubleOf(error) : undefined
          return trouble === undefined ? Effect.void : say(trouble)
        },
        noteStandbyWait: Effect.flatMap(monotonicNow, (nowMs) => {
          blockedAtMs = nowMs
          return say(STANDBY_WAIT)
        }),
        recent: Effect.map(monotonicNow, (nowMs) =>
          nowMs - newest.atMs < shortageShownMs ? newest.text : undefined
        ),
        blocked: Effect.map(monotonicNow, (nowMs) =>
          nowMs - blockedAtMs < BLOCKED_SHOWN_MS ? `${where}: ${STANDBY_WAIT}` : undefined
        )
      }
    })
  )
}
