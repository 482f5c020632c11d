/**
 * Work that is queued in the database, and done by whichever process waits for it: the wait ends when work is committed,
 * by this process or another. A notice may be lost with its connection, and work may become due
 * by time alone: so a wait also ends by itself.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue } from "effect"
import { Reactivity } from "effect/reactivity"
import { Limits } from "../../config/Limits.ts"
import { storeRetrySchedule } from "../../observability/RetryUntilSuccess.ts"

/** As the migration's triggers name it. */
const CHANNEL = "ledgerhook_work"
const works = ["outbox", "mails", "replays"] as const
export type Work = (typeof works)[number]

export class WorkNotices extends Context.Service<
  WorkNotices,
  {
    /** Until there may be work of that kind: something was queued since the last call, or `Limits.workLookMs` are over. */
    readonly next: (work: Work) => Effect.Effect<void>
  }
>()("ledgerhook/storage/WorkNotices") {
  static readonly layer = Layer.effect(
    WorkNotices,
    Effect.gen(function* () {
      const { config } = yield* PgClient.PgClient
      // One waiting notice stands for any number of them.
      const told = new Map<string, Queue.Queue<void>>()
      for (const work of works) told.set(work, yield* Queue.sliding<void>(1))
      const tell = (work: string) => {
        const queue = told.get(work)
        return queue === undefined ? Effect.void : Queue.offer(queue, undefined)
      }

      // A connection of its own: it is waited on for as long as the process lives.
      const listen = Effect.gen(function* () {
        const client = yield* PgClient.makeClient({ ...config, applicationName: "ledgerhook notices" })
        const notices = yield* client.listen(CHANNEL)
        // What was queued while nobody listened.
        yield* Effect.forEach(works, tell)
        return yield* Effect.forever(Effect.flatMap(Queue.take(notices), ({ payload }) => tell(payload)))
      })
      yield* listen.pipe(
        Effect.scoped,
        Effect.tapError((error) => Effect.logWarning("listening for work: trying again", error)),
        Effect.retry(storeRetrySchedule),
        Effect.forkScoped
      )

      return WorkNotices.of({
        next: (work) => Effect.raceFirst(Queue.take(told.get(work)!), Effect.sleep(Limits.workLookMs))
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
}
