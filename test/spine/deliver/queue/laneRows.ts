/** Webhooks and deliveries as plain data, for the random walks of laneWorld.ts. */
import { assert } from "@effect/vitest"
import type { SeededRandom } from "../../../../src/features/simulator/SeededRandom.ts"
import type { Scheduler } from "../../../../src/spine/deliver/queue/Step.ts"
import { makeWatermark } from "../../../../src/spine/deliver/take/Watermark.ts"
import { attemptKey, type LaneKind, laneKinds, type Work } from "../../../../src/spine/deliver/Work.ts"
import type { BacklogKind } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import type { UnwrittenRow } from "../../../../src/spine/domain/Delivery.ts"
import type { SendPermission } from "../../../../src/spine/domain/Quota.ts"
import type { RegisteredWebhook } from "../../../../src/spine/registry/WebhookRegistry.ts"

/** Records that are offered at a time: those that are spilled are in memory until they have their rows. */
export const TAKEN_AT_ONCE = 8

export const limits = {
  laneLeast: 2,
  partitionDeliveries: 24,
  partitionReplays: 8,
  lanePageRows: 6,
  lackPauseMs: 50,
  batchBodyBytes: 400
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
  readonly strict: boolean
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

/** A delivery. */
export interface Row {
  readonly id: string
  readonly owner: Webhook
  readonly lane: LaneKind
  readonly free: boolean
  /** Whether its row exists. */
  written: boolean
  status: "pending" | "retrying" | "delivered" | "failed"
  attempts: number
  parked: boolean
  /** When its next attempt is due, if it waits for that in the backlog. */
  dueMs: number
  /** The lanes or its row know it, so later deliveries must not overtake it. */
  taken: boolean
}

export interface LogRecord {
  readonly row: Row
  readonly attempt: number
  /** What the row needs if it does not exist: in live first attempts. */
  readonly unwritten?: UnwrittenRow
}

export interface Partition {
  /** Offsets of work that came too early, and was queued again. */
  readonly early: Set<number>
  readonly records: Array<LogRecord>
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
    const strict = chance.flip(0.4)
    const max_per_second = chance.flip(0.3) ? chance.pick([1, 5]) : null
    const batch = chance.flip(0.4)
      ? { max_events: chance.pick([2, 3, 5]), max_wait_ms: chance.pick([0, 50, 5_000]) }
      : undefined
    const config = {
      id,
      account_id: `acct_${i % 2}`,
      max_in_flight: window,
      max_per_second,
      ...(strict ? { ordering: "strict" as const } : {}),
      ...(batch === undefined ? {} : { batch })
    }
    const origin = hangs ? "https://hanging.example" : `https://${chance.pick(["a", "b"])}.example`
    return {
      id,
      // Only the fields that lanes and connections read.
      webhook: { config, url: new URL(origin) } as RegisteredWebhook,
      window: strict ? 1 : window,
      strict,
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

const UNWRITTEN: UnwrittenRow = { account_id: "acct_1", event_offset: 0 }

/** The record of a first attempt. A live delivery has no row yet, except a free one, which is a test delivery. */
export const firstRecord = (row: Row): LogRecord =>
  row.lane === "live" && !row.free ? { row, attempt: 1, unwritten: UNWRITTEN } : { row, attempt: 1 }

/** What route queues when it begins an event again after a restart. */
export const again = ({ unwritten, ...record }: LogRecord): LogRecord =>
  unwritten === undefined ? record : { ...record, unwritten: { ...unwritten, again: true } }

export const workOf = (
  { attempt, row, unwritten }: LogRecord,
  acknowledge: (() => void) | undefined
): Work => ({
  key: attemptKey(row.id, attempt),
  deliveryId: row.id,
  attempt,
  seriesAttempt: attempt,
  event: {} as Work["event"],
  // Only whether there is one counts.
  row: unwritten && ({ id: row.id } as NonNullable<Work["row"]>),
  kind: row.lane,
  isTest: row.free,
  acknowledge,
  queuedAt: 0,
  wasFree: false
})

export interface Rows {
  readonly all: Map<string, Row>
  /** Rows in ledger order. */
  readonly make: (owner: Webhook, lane: LaneKind, parked?: boolean) => Row
  /** Writes rows that do not exist, and moves to the backlog those whose attempt is not recorded. */
  readonly spill: (works: ReadonlyArray<Work>) => void
  /** `holdsUntilMs`: the delivery waits in the backlog until then. */
  readonly record: (work: Work, status: "retrying" | "delivered" | "failed", holdsUntilMs?: number) => void
  /** Ends these deliveries of a deleted webhook. */
  readonly end: (works: ReadonlyArray<Work>) => void
  readonly removeOf: (owner: Webhook) => void
}

export const makeRows = (chance: SeededRandom): Rows => {
  const all = new Map<string, Row>()
  const write = (row: Row, work: Work) => {
    assert.isTrue(row.written || work.row !== undefined, `${row.id} can be written`)
    row.written = true
  }
  const fail = (row: Row) => {
    if (!isQueued(row)) return
    row.status = "failed"
    row.parked = false
  }
  /** What webhooks/DeletedQueues.ts does, which runs until all that was under way has ended. */
  const endIfDeleted = (row: Row) => {
    if (row.owner.deleted) fail(row)
  }
  return {
    all,
    make: (owner, lane, parked = false) => {
      const id = `dlv_${String(all.size).padStart(6, "0")}`
      const free = lane === "live" && chance.flip(0.1)
      // Also live ones: a process died when it had written the row and not yet moved it to the backlog.
      const isWritten = parked || free || lane === "replays" || chance.flip(0.05)
      const row: Row = {
        id,
        owner,
        lane,
        free,
        written: isWritten,
        status: "pending",
        attempts: 0,
        parked,
        dueMs: 0,
        taken: parked
      }
      all.set(id, row)
      return row
    },
    spill: (works) => {
      for (const work of works) {
        const row = all.get(work.deliveryId)!
        write(row, work)
        if (isQueued(row) && row.attempts === work.attempt - 1) row.parked = true
        endIfDeleted(row)
      }
    },
    record: (work, status, holdsUntilMs) => {
      const row = all.get(work.deliveryId)!
      write(row, work)
      if (row.status === "failed") return
      row.attempts = work.attempt
      row.parked = holdsUntilMs !== undefined
      row.dueMs = holdsUntilMs ?? 0
      row.status = status
      endIfDeleted(row)
    },
    end: (works) => {
      for (const work of works) {
        const row = all.get(work.deliveryId)!
        write(row, work)
        fail(row)
      }
    },
    removeOf: (owner) => {
      for (const row of all.values()) if (row.owner === owner && row.written) fail(row)
    }
  }
}

/** Strict order: the delivery waits until those before it in its lane are `answered`, or are in the same request. */
export const checkStrict = (
  { all }: Rows,
  row: Row,
  together: ReadonlyArray<Work>,
  answered: ReadonlySet<string>,
  nowMs: number
) => {
  assert.isAtMost(row.dueMs, nowMs, "a retry is not early")
  const held = [...all.values()].filter(
    (one) =>
      one.owner === row.owner &&
      one.lane === row.lane &&
      one.id < row.id &&
      !one.free &&
      one.taken &&
      isQueued(one) &&
      // A retry from before the start comes back from its delay topic, and holds nothing back until it is made.
      (one.attempts === 0 || one.dueMs > 0) &&
      !together.some(({ deliveryId }) => deliveryId === one.id) &&
      !answered.has(one.id)
  )
  const ids = held.map(({ id }) => id)
  assert.deepStrictEqual(ids, [], `${row.id} waits for earlier deliveries`)
}

export const makePartition = (
  chance: SeededRandom,
  rows: Rows,
  webhooks: ReadonlyArray<Webhook>,
  lane: LaneKind
): Partition => {
  const records = webhooks.flatMap((owner) => {
    // The state after an actor died: some of a webhook's rows are in the backlog, others are in the log only.
    const share = chance.pick([0, 0, 0.5])
    const before = Array.from({ length: chance.int(0, 6) }, () => rows.make(owner, lane, chance.flip(share)))
    // It may have died before it committed the offset of what it had moved to the backlog, or before it appended a retry.
    for (const row of before)
      if (!row.parked && chance.flip(0.1)) rows.record(workOf(firstRecord(row), undefined), "retrying")
    return before.filter(({ parked }) => !parked || chance.flip(0.3)).map(firstRecord)
  })
  return {
    records,
    early: new Set(),
    watermark: makeWatermark(0),
    open: new Map(),
    taken: 0,
    taking: false,
    lastAtStart: records.length
  }
}

/** Checks the work whose offsets may be committed now and might not before. */
export const checkCommitted = ({ early, records, watermark }: Partition, before: number) => {
  for (let at = before; at < watermark.committable(); at++) {
    const { attempt, row } = records[at]!
    if (early.has(at)) continue
    assert.isTrue(
      row.written && (row.attempts >= attempt || row.parked || !isQueued(row)),
      "an offset is committed only when all work before it is recorded or in the backlog"
    )
  }
}

/** Checks that the counts agree with the content of the lanes, and that memory is bounded. */
export const checkMemory = (machine: Scheduler) => {
  for (const kind of laneKinds) {
    const budget = machine.budgets[kind]
    let held = 0
    for (const { [kind]: lane, webhookId } of machine.queues.values()) {
      held += lane.held
      if (lane.queued.length + (lane.page?.limit ?? 0) > lane.held) assert.fail(`${webhookId} holds more`)
    }
    assert.strictEqual(budget.held, held)
    const least = limits.laneLeast * machine.queues.size
    assert.isAtMost(held, budget.most + least + TAKEN_AT_ONCE, "memory is bounded")
  }
}
