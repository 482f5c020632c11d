/**
 * Jobs that one process does at a time, over all processes of a database: ingest of a network, the outbox, retention, totals.
 * A lease ends by itself, so a process that dies or freezes loses its jobs within Limits.leaseMs; times are the
 * database's, so no clock but one counts. A lease alone does not stop a process that wakes late from writing: what must
 * not be written twice is fenced where it is written (`EventLog.exclusive`).
 */
import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"

export class Leases extends Context.Service<
  Leases,
  {
    /**
     * Waits until the lease is this process's, and then runs `job` for as long as it stays so. Lost, the job is
     * interrupted and waits for its turn again; the lease is given back when the job or its caller ends.
     */
    readonly hold: (name: string) => <A, E, R>(job: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("ledgerhook/storage/Leases") {
  /** For a process that has its database's log to itself, and so every job: nobody is asked, and nothing waits. */
  static readonly alone = Layer.succeed(Leases, { hold: () => (job) => job })

  static readonly layer = Layer.effect(
    Leases,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = randomUUID()

      /** Takes the lease, or makes it last; false: another process has it. */
      const take = (name: string): Effect.Effect<boolean, SqlError.SqlError> =>
        sql`
          INSERT INTO leases (name, owner, expires_at)
          VALUES (${name}, ${owner}, clock_timestamp() + ${Limits.leaseMs} * interval '1 millisecond')
          ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
          WHERE leases.owner = excluded.owner OR leases.expires_at < clock_timestamp()
          RETURNING 1`.pipe(Effect.map((rows) => rows.length > 0))

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

      /** Renews the lease, and ends once it is another's. Not renewed in time is the same: the database does not answer. */
      const untilLost = (name: string) =>
        renew(name).pipe(
          Effect.retry(Schedule.spaced(Limits.leaseTakeMs)),
          Effect.timeoutOrElse({ duration: Limits.leaseRenewMs, orElse: () => Effect.succeed(false) }),
          Effect.orDie,
          Effect.delay(Limits.leaseRenewMs),
          Effect.repeat({ while: (held) => held }),
          Effect.andThen(Effect.logWarning(`the lease ${name} was lost; what it is for is done elsewhere`)),
          Effect.as("lost" as const)
        )

      return Leases.of({
        hold: (name) => (job) => {
          const once = Effect.acquireUseRelease(
            acquired(name),
            () =>
              Effect.raceFirst(
                Effect.map(job, (value) => ({ value })),
                untilLost(name)
              ),
            () => release(name)
          )
          return once.pipe(
            Effect.repeat({ until: (outcome) => outcome !== "lost" }),
            Effect.map((outcome) => (outcome as Exclude<typeof outcome, "lost">).value)
          )
        }
      })
    })
  )
}
