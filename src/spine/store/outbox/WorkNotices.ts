/**
 * Waits for work that is queued in the database (outbox, mails, replay jobs). A wait ends when this or another
 * process commits such work. Notices may be lost with their connection, and work may become due by time, so a wait
 * also ends after `Limits.workPollMs`.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { Limits } from "../../config/Limits.ts"
import { storeRetrySchedule } from "../../observe/RetryUntilSuccess.ts"

/** The channel of the triggers in store/migrations/0008_coordination.ts. */
const CHANNEL = "ledgerhook_work"
/** In one list, because one connection listens for all, and triggers of released migrations send these names. */
const works = ["outbox", "mails", "notices", "replays"] as const
export type Work = (typeof works)[number]

export class WorkNotices extends Context.Service<
  WorkNotices,
  {
    /** Ends when work of that kind was queued since the last call, or after `Limits.workPollMs`. */
    readonly next: (work: Work) => Effect.Effect<void>
  }
>()("ledgerhook/storage/WorkNotices") {
  static readonly layer = Layer.effect(
    WorkNotices,
    Effect.gen(function* () {
      const { config } = yield* PgClient.PgClient
      // One pending notice is enough for any number of commits.
      const notified = new Map<string, Queue.Queue<void>>()
      for (const work of works) notified.set(work, yield* Queue.sliding<void>(1))
      const notify = (work: string) => {
        const queue = notified.get(work)
        return queue === undefined ? Effect.void : Queue.offer(queue, undefined)
      }

      // Its own connection, because it listens for as long as the process lives.
      const listen = Effect.gen(function* () {
        const client = yield* PgClient.makeClient({ ...config, applicationName: "ledgerhook notices" })
        const notices = yield* client.listen(CHANNEL)
        // Work may have been queued before.
        yield* Effect.forEach(works, notify)
        return yield* Effect.forever(Effect.flatMap(Queue.take(notices), ({ payload }) => notify(payload)))
      })
      yield* listen.pipe(
        Effect.scoped,
        Effect.tapError((error) =>
          Effect.logWarning("listening for notices of new work failed; trying again", error)
        ),
        Effect.retry(storeRetrySchedule),
        Effect.forkScoped
      )

      return WorkNotices.of({
        next: (work) => Effect.raceFirst(Queue.take(notified.get(work)!), Effect.sleep(Limits.workPollMs))
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
}
