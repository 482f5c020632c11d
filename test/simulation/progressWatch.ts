/**
 * Asks how far webhooks have got (progress/WebhookProgress.ts) while a run goes on, and notes which deliveries had
 * ended by then. What has ended is read before and after, because a replay job may retry a delivery meanwhile. Each
 * read of the log takes time, in which everything goes on.
 */

import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { makeWebhookProgress } from "../../src/features/progress/WebhookProgress.ts"
import type { SeededRandom } from "../../src/features/simulator/SeededRandom.ts"
import { Log } from "../../src/spine/log/Log.ts"
import type { Evidence } from "./evidence.ts"
import { limitsLayer } from "./world/limits.ts"
import { ACCOUNT, NETWORK } from "./world/node.ts"

export interface AskedProgress {
  readonly webhook: string
  readonly completeThrough: number | null
  /** The deliveries that had ended. */
  readonly ended: ReadonlySet<string>
}

/** How often somebody asks for the progress of a webhook. */
const ASK_MS = 200
/** The longest time that a read of the log takes. */
const READ_MS = 100

const owner = { accountId: ACCOUNT, networks: [NETWORK] } as const

/** Asks until its scope closes. Returns how to ask once more. */
export const makeProgressWatch = Effect.fnUntraced(function* (
  evidence: Pick<Evidence, "failovers" | "limits" | "progress" | "webhooks">,
  chance: SeededRandom
) {
  const { limits, progress, webhooks } = evidence
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const slowly = <A, E>(read: Effect.Effect<A, E>) =>
    Effect.andThen(
      Effect.suspend(() => Effect.sleep(chance.int(0, READ_MS))),
      read
    )
  const progressOf = yield* makeWebhookProgress.pipe(
    Effect.provide(limitsLayer(limits)),
    Effect.provideService(Log, {
      ...log,
      read: (from, max) => slowly(log.read(from, max)),
      last: (partition) => slowly(log.last(partition)),
      offsets: (partition) => slowly(log.offsets(partition)),
      committed: (group, partition) => slowly(log.committed(group, partition))
    })
  )
  const ended = Effect.map(
    sql<{ readonly id: string }>`SELECT id FROM deliveries WHERE status IN ('delivered', 'failed')`,
    (rows) => rows.map(({ id }) => id)
  )
  const ask = Effect.fnUntraced(function* (webhook: string) {
    const before = yield* ended
    const found = Option.getOrUndefined(yield* progressOf(owner, webhook))
    return {
      webhook,
      completeThrough: found?.completeThrough ?? null,
      ended: new Set([...before, ...(yield* ended)])
    } satisfies AskedProgress
  })
  yield* Effect.suspend(() => {
    const before = evidence.failovers
    return Effect.map(ask(chance.pick(webhooks).id), (asked) => {
      // What was read before and after the database went back does not belong together.
      if (evidence.failovers === before) progress.push(asked)
    })
  }).pipe(Effect.andThen(Effect.sleep(ASK_MS)), Effect.forever, Effect.forkScoped)
  return ask
})
