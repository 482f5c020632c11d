/** The metrics of waiting deliveries: how many, why those in the backlog wait, and since when the oldest is due. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readWaiting } from "../../../../src/features/operate/report/WaitingDeliveries.ts"
import { foldChanges } from "../../../../src/features/statistics/DeliveryTotals.ts"
import { DeliveryStore } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import { attemptOf, NOW, newDelivery, OWNER, prepare } from "../../../support/deliver/deliveryRows.ts"
import { waitingFor } from "../../../support/store/rows.ts"
import { DeliveriesLive } from "../../deliveries/countedDeliveries.ts"

const none = { quota: 0, suspended: 0, disabled: 0, paused: 0, deleted: 0, full: 0 }

layer(DeliveriesLive)("waiting deliveries", (it) => {
  it.effect("are counted by status, and those in the backlog by the reason why they wait", () =>
    Effect.gen(function* () {
      const webhooks = yield* prepare(3)
      const [active, disabled, deleted] = webhooks
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* readWaiting(new Map()), {
        byStatus: { pending: 0, retrying: 0 },
        inBacklog: none,
        oldestDueMs: undefined
      })

      const rows = [active!, active!, active!, active!, disabled!, deleted!].map((id, i) =>
        newDelivery(id, NOW - 60_000 + i, "nft.minted")
      )
      const ids = rows.map(({ id }) => id)
      yield* store.insertPending(rows, NOW)
      yield* store.record([attemptOf(ids[0]!, 1, "delivered", 5), attemptOf(ids[1]!, 1, "retrying", 5)], 100)
      yield* store.moveToBacklog([...waitingFor([ids[1]!], 2), ...waitingFor([ids[2]!])], "live")
      yield* store.moveToBacklog(waitingFor([ids[4]!, ids[5]!]), "replays")
      yield* sql`UPDATE webhooks SET status = 'disabled' WHERE id = ${disabled!}`
      yield* sql`UPDATE webhooks SET deleted_at = now() WHERE id = ${deleted!}`
      yield* foldChanges

      const byStatus = { pending: 4, retrying: 1 }
      assert.deepStrictEqual(yield* readWaiting(new Map()), {
        byStatus,
        inBacklog: { ...none, full: 2, disabled: 1, deleted: 1 },
        // The first in line is the retry.
        oldestDueMs: NOW + 5 + 1_000
      })
      const held = yield* readWaiting(new Map([[OWNER.accountId, "quota"]]))
      assert.deepStrictEqual(held.inBacklog, { ...none, quota: 2, disabled: 1, deleted: 1 })
      assert.isUndefined(held.oldestDueMs)
      const suspended = yield* readWaiting(new Map([[OWNER.accountId, "suspended"]]))
      assert.deepStrictEqual(suspended.inBacklog, { ...none, suspended: 2, disabled: 1, deleted: 1 })

      yield* sql`UPDATE webhooks SET paused_at = now() WHERE id = ${active!}`
      const paused = yield* readWaiting(new Map())
      assert.deepStrictEqual(paused.inBacklog, { ...none, paused: 2, disabled: 1, deleted: 1 })
      assert.isUndefined(paused.oldestDueMs, "a pause is not the service's lateness")

      yield* store.fail(ids, "over", NOW)
      yield* foldChanges
      assert.deepStrictEqual((yield* readWaiting(new Map())).byStatus, { pending: 0, retrying: 0 })
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM delivery_waiting`, [])
    })
  )
})
