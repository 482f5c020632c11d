/**
 * Leases: the right of one process, among all that use a database, to do a job: ingest of a network, the outbox,
 * retention. A process that dies or freezes loses its leases within Limits.leaseMs. Only the database's clock counts; if
 * it was set back, a lease lasts for Limits.leaseMs from when another process next asks for it.
 * A lease does not stop a process that wakes up late from writing, so writes that must not happen twice are fenced by
 * the log (`Log.exclusive`).
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { retryUntilSuccess } from "../observe/RetryUntilSuccess.ts"
import { ProcessId } from "./ProcessId.ts"

export class Leases extends Context.Service<
  Leases,
  {
    /**
     * Waits for the lease and then runs `job` while this process holds it. If the lease is lost, the job is
     * interrupted and waits for the lease again. The lease is released when the job or its caller ends.
     */
    readonly hold: (name: string) => <A, E, R>(job: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("ledgerhook/storage/Leases") {
  /** For a process that uses its database alone: it gets every lease at once. */
  static readonly alone = Layer.succeed(Leases, { hold: () => (job) => job })

  /** Also has the name of this process, which is the owner of its leases. */
  static readonly layer = Layer.effect(
    Leases,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* ProcessId

      /** Takes or extends the lease. False if another process holds it. */
      const take = (name: string): Effect.Effect<boolean, SqlError.SqlError> =>
        sql<{ readonly held: boolean }>`
          INSERT INTO leases (name, owner, expires_at)
          VALUES (${name}, ${owner}, clock_timestamp() + ${Limits.leaseMs} * interval '1 millisecond')
          ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at,
            owner = CASE WHEN leases.expires_at > excluded.expires_at THEN leases.owner ELSE excluded.owner END
          WHERE leases.owner = excluded.owner OR leases.expires_at < clock_timestamp()
            OR leases.expires_at > excluded.expires_at
          RETURNING owner = ${owner} AS held`.pipe(Effect.map(([row]) => row?.held === true))

      const release = (name: string) =>
        sql`DELETE FROM leases WHERE name = ${name} AND owner = ${owner}`.pipe(
          Effect.timeout(Limits.databaseConnectMs),
          Effect.ignore
        )

      const acquired = (name: string) =>
        take(name).pipe(
          retryUntilSuccess(`taking the lease ${name}`),
          Effect.repeat({ until: (held) => held, schedule: Schedule.spaced(Limits.leaseTakeMs) })
        )

      const renew = (name: string) =>
        sql`
          UPDATE leases SET expires_at = clock_timestamp() + ${Limits.leaseMs} * interval '1 millisecond'
          WHERE name = ${name} AND owner = ${owner} RETURNING 1`.pipe(Effect.map((rows) => rows.length > 0))

      /** Renews the lease until it is lost. If the database does not answer in time, the lease counts as lost. */
      const untilLost = (name: string) =>
        renew(name).pipe(
          Effect.retry(Schedule.spaced(Limits.leaseTakeMs)),
          Effect.timeoutOrElse({ duration: Limits.leaseRenewMs, orElse: () => Effect.succeed(false) }),
          Effect.orDie,
          Effect.delay(Limits.leaseRenewMs),
          Effect.repeat({ while: (held) => held }),
          Effect.andThen(Effect.logWarning(`the lease ${name} was lost; another process continues its job`)),
          Effect.as("lost" as const)
        )

      return Leases.of({
        hold: (name) => (job) => {
          // The wait must end when the process is stopped; a statement under way may still take the lease then.
          const once = acquired(name).pipe(
            Effect.andThen(
              Effect.raceFirst(
                Effect.map(job, (value) => ({ value })),
                untilLost(name)
              )
            ),
            Effect.ensuring(release(name))
          )
          return once.pipe(
            Effect.repeat({ until: (outcome) => outcome !== "lost" }),
            Effect.map((outcome) => (outcome as Exclude<typeof outcome, "lost">).value)
          )
        }
      })
    })
  ).pipe(Layer.provideMerge(ProcessId.layer))
}
