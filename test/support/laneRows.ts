/** Webhooks and rows of deliveries as plain data, for the random walks of laneWorld.ts. */
import { assert } from "@effect/vitest"
import type { LaneKind, Work } from "../../src/deliver/Lane.ts"
import { attemptKey } from "../../src/deliver/MemoryBudget.ts"
import type { makeWatermark } from "../../src/deliver/Watermark.ts"
import type { SendPermission } from "../../src/domain/Quota.ts"
import type { SeededRandom } from "../../src/simulator/SeededRandom.ts"
import type { BacklogKind } from "../../src/storage/deliveries/DeliveryStore.ts"
import type { RegisteredWebhook } from "../../src/webhooks/WebhookRegistry.ts"

export const limits = {
  lanes: { laneShare: 0.5, laneLeast: 2 },
  partitionDeliveries: 24,
  partitionReplays: 8,
  lanePageRows: 6,
  laneWalkDeliveries: 30,
  lackPauseMs: 50,
  batchBodyBytes: 400,
  batchLeastWaitMs: 1
}

/** A step that needs time, such as a statement or a receiver's answer. */
export interface UnderWay {
  readonly what: "answer" | "timer" | "replay start" | "statement" | "take"
  readonly owner: Webhook | undefined
  readonly atMs: number
  readonly go: () => void
}

export interface Webhook {
  readonly id: string
  readonly webhook: RegisteredWebhook
  readonly window: number
  readonly perSecond: number | null
  /** Events of one request. */
  readonly mostEvents: number
  /** Its receiver never answers. */
  readonly hangs: boolean
  permission: SendPermission
  deleted: boolean
  open: number
  unrecorded: number
  /** The start times of the webhook's requests. */
  readonly beganMs: Array<number>
  /** The last delivery of each lane whose first attempt started, not counting free ones. */
  readonly last: Record<LaneKind, string>
}

export interface Row {
  readonly id: string
  readonly owner: Webhook
  readonly lane: LaneKind
  readonly free: boolean
  status: "pending" | "retrying" | "delivered" | "failed"
  attempts: number
  parked: boolean
  /** The lanes or its row know it, so later deliveries must not overtake it. */
  taken: boolean
}

export interface LogRecord {
  readonly row: Row
  readonly attempt: number
}

export interface Partition {
  readonly records: Array<LogRecord>
  readonly settled: Set<number>
  readonly watermark: ReturnType<typeof makeWatermark>
  readonly open: Map<number, LogRecord>
  taken: number
  taking: boolean
  readonly lastAtStart: number
}

export const makeWebhooks = (chance: SeededRandom): ReadonlyArray<Webhook> =>
  Array.from({ length: chance.int(2, 6) }, (_, i): Webhook => {
    const id = `wh_${i}`
    const hangs = i > 0 && chance.flip(0.4)
    const window = chance.pick([1, 2, 4])
    const max_per_second = chance.flip(0.3) ? chance.pick([1, 5]) : null
    const batch = chance.flip(0.4)
      ? { max_events: chance.pick([2, 3, 5]), max_wait_ms: chance.pick([0, 50, 5_000]) }
      : undefined
    const config = {
      id,
      account_id: `acct_${i % 2}`,
      max_in_flight: window,
      max_per_second,
      ...(batch === undefined ? {} : { batch })
    }
    const origin = hangs ? "https://hanging.example" : `https://${chance.pick(["a", "b"])}.example`
    return {
      id,
      // Only the fields that lanes and connections read.
      webhook: { config, url: new URL(origin) } as RegisteredWebhook,
      window,
      perSecond: max_per_second,
      mostEvents: batch?.max_events ?? 1,
      hangs,
      permission: "all",
      deleted: false,
      open: 0,
      unrecorded: 0,
      beganMs: [],
      last: { live: "", replays: "" }
    }
  })

/** Records the start of a request. Fails if more than `perSecond` started, beyond an initial burst of one second. */
export const beginAt = ({ beganMs, perSecond }: Webhook, nowMs: number) => {
  beganMs.push(nowMs)
  if (perSecond === null) return
  for (const [i, ms] of beganMs.entries())
    if (beganMs.length - i > perSecond * (1 + (nowMs - ms) / 1_000)) assert.fail("the rate is exceeded")
}

/** Whether a page of this kind contains the row. */
export const isOf = (row: Row, kind: BacklogKind): boolean =>
  kind === "replays" ? row.lane === "replays" : row.lane === "live" && (kind === "live" || row.free)

export const isQueued = ({ status }: Row): boolean => status === "pending" || status === "retrying"

export const workOf = (row: Row, attempt: number, acknowledge: (() => void) | undefined): Work => ({
  key: attemptKey(row.id, attempt),
  deliveryId: row.id,
  attempt,
  seriesAttempt: attempt,
  event: {} as Work["event"],
  kind: row.lane,
  acknowledge,
  queuedAt: 0
})

export interface Rows {
  readonly all: Map<string, Row>
  /** Rows in ledger order. */
  readonly make: (owner: Webhook, lane: LaneKind, parked?: boolean) => Row
  readonly spill: (ids: ReadonlyArray<string>) => void
  readonly removeOf: (owner: Webhook) => void
}

export const makeRows = (chance: SeededRandom): Rows => {
  const all = new Map<string, Row>()
  return {
    all,
    make: (owner, lane, parked = false) => {
      const id = `dlv_${String(all.size).padStart(6, "0")}`
      const free = lane === "live" && chance.flip(0.1)
      const row: Row = { id, owner, lane, free, status: "pending", attempts: 0, parked, taken: parked }
      all.set(id, row)
      return row
    },
    spill: (ids) => {
      for (const id of ids) {
        const row = all.get(id)!
        if (isQueued(row)) row.parked = true
      }
    },
    removeOf: (owner) => {
      for (const row of all.values()) {
        if (row.owner !== owner || !isQueued(row)) continue
        row.status = "failed"
        row.parked = false
      }
    }
  }
}
