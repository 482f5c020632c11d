/**
 * Simulates everything around an actor's lanes, without fibers: rows, log, recorder, receivers and connections are
 * plain data. A random walk ends the steps under way in any order. Invariants are checked at every step.
 */
import { assert } from "@effect/vitest"
import type { SeededRandom } from "../../../../src/features/simulator/SeededRandom.ts"
import { gotRows, withoutRow } from "../../../../src/spine/deliver/queue/Dispatcher.ts"
import { isBusy } from "../../../../src/spine/deliver/queue/MemoryBudget.ts"
import type { ActorMessage, Command, WebhookMessage } from "../../../../src/spine/deliver/queue/Messages.ts"
import { advance } from "../../../../src/spine/deliver/queue/Scheduler.ts"
import { makeScheduler, type Scheduler } from "../../../../src/spine/deliver/queue/Step.ts"
import {
  type Limiter,
  makeLimiter,
  type Share
} from "../../../../src/spine/deliver/send/ConnectionLimiter.ts"
import { workState } from "../../../../src/spine/deliver/take/WorkState.ts"
import { attemptKey, type LaneKind, laneKinds, type Work } from "../../../../src/spine/deliver/Work.ts"
import type { DeliveryState } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import type { SendPermission } from "../../../../src/spine/domain/Quota.ts"
import {
  again,
  beginAt,
  checkCommitted,
  checkMemory,
  checkStrict,
  firstRecord,
  isOf,
  type LogRecord,
  limits,
  makePartition,
  makeRows,
  makeWebhooks,
  type Partition,
  type Rows,
  TAKEN_AT_ONCE,
  type UnderWay,
  type Webhook,
  workOf
} from "./laneRows.ts"

const ATTEMPTS = 3

export interface World {
  readonly machine: Scheduler
  readonly webhooks: ReadonlyArray<Webhook>
  readonly rows: Rows
  readonly log: Readonly<Record<LaneKind, Partition>>
  readonly underWay: Array<UnderWay>
  readonly delayed: Array<LogRecord>
  readonly tell: (event: WebhookMessage | ActorMessage) => ReadonlyArray<Command>
  readonly publish: (owner: Webhook, lane: LaneKind) => void
  readonly take: (lane: LaneKind) => void
  /** Writes the rows of what is queued. False if there is nothing, or some are being written. */
  readonly show: (lane: LaneKind) => boolean
  readonly change: (owner: Webhook, permission: SendPermission) => void
  readonly remove: (owner: Webhook) => void
  /** Ends the one at this place of `underWay`, or its next step. */
  readonly end: (place: number) => void
  readonly inUse: () => number
}

export const makeWorld = (chance: SeededRandom): World => {
  const machine = makeScheduler(limits)
  const limiter: Limiter = makeLimiter({ perOrigin: chance.pick([4, 100]), inProcess: 1_000 })
  const rows = makeRows(chance)
  const webhooks = makeWebhooks(chance)
  const underWay: Array<UnderWay> = []
  const delayed: Array<LogRecord> = []
  const started = new Set<string>()
  const sent = new Set<string>()
  /** Attempts that could not be made when it was their turn. Later ones may have started meanwhile. */
  const withdrawn = new Set<string>()
  /** Deliveries of strict webhooks that are delivered or given up, maybe not recorded yet. */
  const answered = new Set<string>()
  /** How often this machine cannot send a request. */
  const shortages = chance.pick([0, 0.2])
  const joined = new Map<string, Share>()
  /** How many attempts may start before earlier ones are recorded. */
  const runAhead = chance.pick([0, 3, Number.POSITIVE_INFINITY])
  let now = 0

  const rowOf = (work: Work) => rows.all.get(work.deliveryId)!
  const webhookOf = (id: string): Webhook => webhooks.find((one) => one.id === id)!
  const currentWebhook = ({ deleted, webhook, permission }: Webhook) =>
    deleted ? undefined : { webhook, permission }

  const [live, replays] = laneKinds.map((kind) => makePartition(chance, rows, webhooks, kind))
  const log: Record<LaneKind, Partition> = { live: live!, replays: replays! }

  const wait = (
    what: UnderWay["what"],
    owner: Webhook | undefined,
    go: () => void,
    atMs: number = now
  ): void => void underWay.push({ what, owner, go, atMs })

  /** Runs `execute` in one step, and passes its result to `told` in a later one. */
  const statement = <A>(owner: Webhook | undefined, execute: () => A, told: (result: A) => void) =>
    wait("statement", owner, () => {
      const result = execute()
      wait("statement", owner, () => told(result))
    })
  const unrecorded = () => webhooks.reduce((sum, one) => sum + one.unrecorded, 0)

  /** Checks that this attempt may be made now. */
  const begin = (owner: Webhook, work: Work, together: ReadonlyArray<Work>) => {
    const row = rowOf(work)
    if (owner.strict && !row.free) checkStrict(rows, row, together, answered, now)
    assert.strictEqual(row.owner, owner)
    assert.isFalse(started.has(work.key), `${work.key} starts once`)
    started.add(work.key)
    sent.add(work.key)
    assert.strictEqual(row.attempts + 1, work.attempt)
    assert.isTrue(row.free ? owner.permission !== "none" : owner.permission === "all")
    if (work.attempt === 1 && !row.free && !withdrawn.has(work.key)) {
      assert.isTrue(row.id > owner.last[row.lane], "first attempts leave in ledger order")
      owner.last[row.lane] = row.id
    }
    if (row.lane === "replays") {
      const before = [...rows.all.values()].filter(
        (one) =>
          one.owner === owner &&
          one.lane === "live" &&
          one.taken &&
          one.attempts === 0 &&
          !started.has(attemptKey(one.id, 1))
      )
      assert.deepStrictEqual(before, [], "live deliveries start first")
    }
  }

  const start = ({ sending, share, webhook }: Extract<Command, { readonly kind: "start" }>) => {
    const owner = webhookOf(webhook.config.id)
    const { items, works } = sending
    assert.isAtMost(works.length, owner.mostEvents, "a request has no more events than its webhook allows")
    assert.strictEqual(items?.length, webhook.config.batch === undefined ? undefined : works.length)
    for (const work of works) begin(owner, work, works)
    beginAt(owner, now)
    owner.unrecorded += works.length
    assert.isAtMost(++owner.open, owner.window, "the window is never exceeded")
    assert.isAtMost(
      owner.unrecorded,
      Math.max(owner.window * owner.mostEvents, runAhead + owner.mostEvents - 1),
      "attempts ahead of their record are bounded"
    )
    wait("answer", owner, () => {
      owner.open--
      if (chance.flip(shortages)) {
        owner.unrecorded -= works.length
        for (const { key } of works) {
          started.delete(key)
          sent.delete(key)
          withdrawn.add(key)
        }
        limiter.release(share)
        tell({ kind: "notSent", webhookId: owner.id, works })
        return
      }
      const ended = works.map((work) => {
        const failed = work.attempt === ATTEMPTS ? "failed" : "retrying"
        return { work, status: chance.flip(0.8) ? "delivered" : failed } as const
      })
      const isHeld = ({ status, work }: (typeof ended)[number]) =>
        owner.strict && status === "retrying" && work.isTest !== true
      const dueMs = now + chance.pick([1, 1_000])
      const record = () => {
        for (const one of ended) rows.record(one.work, one.status, isHeld(one) ? dueMs : undefined)
      }
      for (const { status, work } of ended) if (status !== "retrying") answered.add(work.deliveryId)
      const settleAttempts = () => {
        owner.unrecorded -= works.length
        for (const { key } of works) sent.delete(key)
        tell({ kind: "settled", webhookId: owner.id, works })
      }
      const retry = (fromBacklog: boolean) => {
        for (const one of ended) {
          const { status, work } = one
          if (status === "retrying" && !isHeld(one) && (work.acknowledge === undefined) === fromBacklog)
            delayed.push({ row: rowOf(work), attempt: work.attempt + 1 })
        }
      }
      // Retries of the backlog are appended before the rows are written: one may be due first.
      wait("statement", undefined, () => {
        retry(true)
        statement(undefined, record, () => statement(undefined, () => retry(false), settleAttempts))
      })
      limiter.release(share)
      tell({ kind: "ended", webhookId: owner.id, holds: ended.find(isHeld)?.work.kind })
    })
  }

  const shareOf = (owner: Webhook): Share => {
    const { config, url } = owner.webhook
    const known = joined.get(owner.id)
    if (known !== undefined) return known
    const share = limiter.join(config.account_id, url.origin, () =>
      tell({ kind: "woken", webhookId: owner.id })
    )
    joined.set(owner.id, share)
    return share
  }

  /** One after the other: rows appear in the order of their deliveries. */
  const toMove: Array<Extract<Command, { readonly kind: "moveToBacklog" }>> = []
  const moveNext = () => {
    const { webhookId, lane, works } = toMove[0]!
    statement(
      undefined,
      () => (webhookOf(webhookId).deleted ? rows.end : rows.spill)(works),
      () => {
        toMove.shift()
        if (toMove.length > 0) moveNext()
        tell({ kind: "movedToBacklog", webhookId, lane, works })
      }
    )
  }

  const obey = (command: Command): void => {
    switch (command.kind) {
      case "start":
        start(command)
        break
      case "connect": {
        const { webhookId } = command
        const share = shareOf(webhookOf(webhookId))
        if (limiter.take(share)) tell({ kind: "connected", webhookId, share })
        break
      }
      case "disconnect":
        limiter.release(command.share)
        break
      case "wake": {
        const { afterMs, message: kind, webhookId } = command
        wait("timer", undefined, () => tell({ kind, webhookId }), now + afterMs)
        break
      }
      case "askReplayStart": {
        const { webhookId } = command
        wait("replay start", undefined, () => tell({ kind: "replayMayStart", webhookId }))
        break
      }
      case "readPage": {
        const { webhookId, lane, rows: kind, afterId, limit } = command
        statement(
          undefined,
          () =>
            [...rows.all.values()]
              .filter(
                (row) => row.owner.id === webhookId && row.parked && isOf(row, kind) && row.id > afterId
              )
              .slice(0, limit)
              .map((row) => ({
                waitMs: row.dueMs - now,
                work: workOf({ row, attempt: row.attempts + 1 }, undefined)
              })),
          (read) => {
            const works = read.map(({ work }) => work)
            const place = read.findIndex(({ waitMs }) => waitMs > 0)
            const notDue = place < 0 ? undefined : { place, waitMs: read[place]!.waitMs }
            const lastId = works.at(-1)?.deliveryId ?? ""
            tell({ kind: "pageRead", webhookId, lane, page: { rows: works.length, lastId, works, notDue } })
          }
        )
        break
      }
      case "moveToBacklog":
        toMove.push(command)
        if (toMove.length === 1) moveNext()
        break
      case "forget": {
        const share = joined.get(command.webhookId)
        joined.delete(command.webhookId)
        share === undefined ? undefined : limiter.leave(share)
        break
      }
    }
  }

  const tell = (event: WebhookMessage | ActorMessage): ReadonlyArray<Command> => {
    const commands = advance(machine, event, { nowMs: now, mayRunAhead: unrecorded() < runAhead })
    for (const command of commands) obey(command)
    return commands
  }

  const settle = (lane: LaneKind, offset: number) => {
    const { open, watermark } = log[lane]
    if (!open.delete(offset)) return
    const before = watermark.committable()
    watermark.done(offset)
    checkCommitted(log[lane], before)
  }

  /** Does what Feed does: offers the records that are current work. */
  const take = (lane: LaneKind) => {
    const partition = log[lane]
    const { records, open, watermark } = partition
    if (partition.taking) return
    partition.taking = true
    const from = partition.taken
    const batch = records.slice(from, from + TAKEN_AT_ONCE)
    partition.taken += batch.length
    for (const [i, record] of batch.entries()) {
      watermark.add(from + i)
      open.set(from + i, record)
    }
    const keys = batch.map(({ row, attempt }) => attemptKey(row.id, attempt))
    const known = new Set(keys.filter((key) => isBusy(machine.budgets, key)))
    const offerAll = (states: ReadonlyArray<DeliveryState | undefined>) => {
      for (const [i, { attempt, row, unwritten }] of batch.entries()) {
        const offset = from + i
        const { owner } = row
        const found = unwritten === undefined ? { attempt } : { attempt, row: unwritten }
        const what = workState(found, states[i], offset < partition.lastAtStart)
        row.taken = true
        if (owner.deleted || (what === "current" && !known.has(keys[i]!))) {
          const work = workOf(records[offset]!, () => settle(lane, offset))
          tell({ kind: "offered", webhookId: owner.id, current: currentWebhook(owner), work })
        } else {
          if (what === "unanswered") delayed.push({ row, attempt: attempt + 1 })
          if (what === "early") {
            delayed.push({ row, attempt })
            partition.early.add(offset)
          }
          settle(lane, offset)
        }
      }
      // What moves to the backlog has its rows before more is taken.
      const over = () => {
        if (toMove.length > 0) return wait("statement", undefined, over)
        partition.taking = false
        if (partition.taken >= partition.lastAtStart) tell({ kind: "caughtUp", lane })
      }
      over()
    }
    // What is new is not read.
    const stateOf = ({ row, unwritten }: LogRecord, i: number) => {
      const isNew = unwritten !== undefined && unwritten.again !== true && from + i >= partition.lastAtStart
      return isNew || !row.written
        ? undefined
        : { ...row, nextAttemptAt: null, nextDelayMs: null, isTest: row.free }
    }
    statement(undefined, () => batch.map(stateOf), offerAll)
  }

  let showing = false
  const show = (lane: LaneKind): boolean => {
    const works = withoutRow(machine, lane, now + 1)
    if (showing || works.length === 0) return false
    showing = true
    statement(
      undefined,
      () => rows.spill(works),
      () => {
        showing = false
        gotRows(machine, lane, works)
      }
    )
    return true
  }

  const resumed = new Set([...rows.all.values()].flatMap(({ owner, parked }) => (parked ? [owner] : [])))
  for (const owner of resumed) tell({ kind: "resumed", webhookId: owner.id, current: currentWebhook(owner) })

  return {
    machine,
    webhooks,
    rows,
    log,
    underWay,
    delayed,
    tell,
    take,
    show,
    publish: (owner, lane) => {
      const record = firstRecord(rows.make(owner, lane))
      log[lane].records.push(record, ...(chance.flip(0.05) ? [again(record)] : []))
    },
    change: (owner, permission) => {
      owner.permission = permission
      if (machine.queues.has(owner.id))
        tell({ kind: "changed", webhookId: owner.id, current: currentWebhook(owner) })
    },
    remove: (owner) => {
      owner.deleted = true
      rows.removeOf(owner)
      if (machine.queues.has(owner.id)) tell({ kind: "changed", webhookId: owner.id, current: undefined })
    },
    end: (place) => {
      const [one] = underWay.splice(place, 1)
      now = Math.max(now, one!.atMs)
      one!.go()
      checkMemory(machine)
      assert.strictEqual(machine.sending, sent.size)
    },
    inUse: () => [...joined.values()].reduce((sum, { inUse }) => sum + inUse, 0)
  }
}
