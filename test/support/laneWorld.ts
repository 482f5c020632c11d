/**
 * Simulates everything around an actor's lanes, without fibers: rows, log, recorder, receivers and connections are
 * plain data. A random walk ends the steps under way in any order. Invariants are checked at every step.
 */
import { assert } from "@effect/vitest"
import { type Limiter, makeLimiter, type Share } from "../../src/deliver/ConnectionLimiter.ts"
import type { LaneKind, Work } from "../../src/deliver/Lane.ts"
import type { ActorEvent, Command, LaneEvent } from "../../src/deliver/LaneEvents.ts"
import { advance, makeMachine } from "../../src/deliver/LaneMachine.ts"
import type { LaneMachine } from "../../src/deliver/LaneStep.ts"
import { attemptKey, isBusy } from "../../src/deliver/MemoryBudget.ts"
import { makeWatermark } from "../../src/deliver/Watermark.ts"
import { workState } from "../../src/deliver/WorkState.ts"
import type { SendPermission } from "../../src/domain/Quota.ts"
import type { SeededRandom } from "../../src/simulator/SeededRandom.ts"
import {
  beginAt,
  isOf,
  isQueued,
  type LogRecord,
  limits,
  makeRows,
  makeWebhooks,
  type Partition,
  type Row,
  type Rows,
  type UnderWay,
  type Webhook,
  workOf
} from "./laneRows.ts"

const TAKEN_AT_ONCE = 8
const OPEN_RECORDS = 30
const ATTEMPTS = 3
export const kinds: ReadonlyArray<LaneKind> = ["live", "replays"]

export interface World {
  readonly machine: LaneMachine
  readonly webhooks: ReadonlyArray<Webhook>
  readonly rows: Rows
  readonly log: Readonly<Record<LaneKind, Partition>>
  readonly underWay: Array<UnderWay>
  readonly delayed: Array<LogRecord>
  readonly tell: (event: LaneEvent | ActorEvent) => ReadonlyArray<Command>
  readonly publish: (owner: Webhook, lane: LaneKind) => void
  readonly take: (lane: LaneKind) => void
  readonly change: (owner: Webhook, permission: SendPermission) => void
  readonly remove: (owner: Webhook) => void
  /** Ends the one at this place of `underWay`, or its next step. */
  readonly end: (place: number) => void
  readonly inUse: () => number
}

export const makeWorld = (chance: SeededRandom): World => {
  const machine = makeMachine(limits)
  const limiter: Limiter = makeLimiter({
    perOrigin: chance.pick([4, 100]),
    inProcess: 1_000,
    least: 2,
    shared: 0.75,
    tried: 4
  })
  const rows = makeRows(chance)
  const webhooks = makeWebhooks(chance)
  const underWay: Array<UnderWay> = []
  const delayed: Array<LogRecord> = []
  const started = new Set<string>()
  const sent = new Set<string>()
  /** Attempts that could not be made when it was their turn. Later ones may have started meanwhile. */
  const withdrawn = new Set<string>()
  /** How often this machine cannot send a request. */
  const shortages = chance.pick([0, 0.2])
  const joined = new Map<string, Share>()
  /** How many attempts may start before earlier ones are recorded. */
  const runAhead = chance.pick([0, 3, Number.POSITIVE_INFINITY])
  let now = 0

  const webhookOf = (id: string): Webhook => webhooks.find((one) => one.id === id)!
  const currentWebhook = ({ deleted, webhook, permission }: Webhook) =>
    deleted ? undefined : { webhook, permission }

  const makePartition = (lane: LaneKind): Partition => {
    const records = webhooks.flatMap((owner) => {
      // The state after an actor died: some of a webhook's rows are in the backlog, others are in the log only.
      const share = chance.pick([0, 0, 0.5])
      const before = Array.from({ length: chance.int(0, 6) }, () =>
        rows.make(owner, lane, chance.flip(share))
      )
      return before.filter(({ parked }) => !parked).map((row) => ({ row, attempt: 1 }))
    })
    return {
      records,
      settled: new Set(),
      watermark: makeWatermark(0),
      open: new Map(),
      taken: 0,
      taking: false,
      lastAtStart: records.length
    }
  }
  const log: Record<LaneKind, Partition> = { live: makePartition("live"), replays: makePartition("replays") }

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
  const begin = (owner: Webhook, work: Work): Row => {
    const row = rows.all.get(work.deliveryId)!
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
          one.owner === owner && one.lane === "live" && one.taken && !started.has(attemptKey(one.id, 1))
      )
      assert.deepStrictEqual(before, [], "live deliveries start first")
    }
    return row
  }

  const start = ({ sending, share, webhook }: Extract<Command, { readonly kind: "start" }>) => {
    const owner = webhookOf(webhook.config.id)
    const { items, works } = sending
    assert.isAtMost(works.length, owner.mostEvents, "a request has no more events than its webhook allows")
    assert.strictEqual(items?.length, webhook.config.batch === undefined ? undefined : works.length)
    const attempts = works.map((work) => ({ work, row: begin(owner, work) }))
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
        tell({ kind: "notSent", webhookId: owner.id, share, works })
        return
      }
      const delivered = works.map(() => chance.flip(0.8))
      statement(
        undefined,
        () => {
          for (const [i, { row, work }] of attempts.entries()) {
            if (row.status === "failed") continue
            row.attempts = work.attempt
            row.parked = false
            row.status = delivered[i]! ? "delivered" : work.attempt === ATTEMPTS ? "failed" : "retrying"
            if (row.status === "retrying") delayed.push({ row, attempt: work.attempt + 1 })
          }
        },
        () => {
          owner.unrecorded -= works.length
          for (const { key } of works) sent.delete(key)
          tell({ kind: "settled", webhookId: owner.id, works })
        }
      )
      tell({ kind: "attemptEnded", webhookId: owner.id, share })
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
        const { afterMs, event: kind, webhookId } = command
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
              .map((row) => workOf(row, row.attempts + 1, undefined)),
          (works) =>
            tell({
              kind: "pageRead",
              webhookId,
              lane,
              page: { rows: works.length, lastId: works.at(-1)?.deliveryId ?? "", works }
            })
        )
        break
      }
      case "spill": {
        const { webhookId, lane, works } = command
        statement(
          undefined,
          () => rows.spill(works.map(({ deliveryId }) => deliveryId)),
          () => tell({ kind: "queueSpilled", webhookId, lane, works })
        )
        break
      }
      case "acknowledge":
        command.work.acknowledge?.()
        break
      case "forget": {
        const share = joined.get(command.webhookId)
        joined.delete(command.webhookId)
        share === undefined ? undefined : limiter.leave(share)
        break
      }
      case "refuse":
        break
    }
  }

  /** Checks that the counts agree with the content of the lanes, and that memory is bounded. */
  const check = () => {
    for (const kind of kinds) {
      const budget = machine.budgets[kind]
      let held = 0
      for (const { [kind]: lane, webhookId } of machine.outlets.values()) {
        held += lane.held
        if (lane.queue.length + (lane.page?.limit ?? 0) > lane.held) assert.fail(`${webhookId} holds more`)
      }
      assert.strictEqual(budget.held, held)
      const least = limits.lanes.laneLeast * machine.outlets.size
      assert.isAtMost(held, budget.limits.deliveries + least, "memory is bounded")
    }
    assert.strictEqual(machine.sending, sent.size)
  }

  const tell = (event: LaneEvent | ActorEvent): ReadonlyArray<Command> => {
    const commands = advance(machine, event, { nowMs: now, ahead: Math.max(0, runAhead - unrecorded()) })
    for (const command of commands) obey(command)
    return commands
  }

  const settle = (lane: LaneKind, offset: number) => {
    const { open, watermark, records, settled } = log[lane]
    if (!open.delete(offset)) return
    settled.add(offset)
    const before = watermark.committable()
    watermark.done(offset)
    for (const { row, attempt } of records.slice(before, watermark.committable()))
      assert.isTrue(
        row.attempts >= attempt || row.parked || !isQueued(row) || row.owner.deleted,
        "an offset is committed only when all work before it is recorded or in the backlog"
      )
  }

  /** Does what Feed does: offers the records that are current work, and spills refused ones before it continues. */
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
    const over = () => {
      partition.taking = false
      if (partition.taken >= partition.lastAtStart) tell({ kind: "caughtUp", lane })
      for (const [offset, { row }] of open) {
        if (offset > partition.taken - OPEN_RECORDS) break
        tell({ kind: "overdue", webhookId: row.owner.id, lane })
      }
    }
    const offerAll = (states: ReadonlyArray<Row>) => {
      const refused: Array<number> = []
      for (const [i, { row, attempt }] of batch.entries()) {
        const offset = from + i
        const { owner } = row
        const state = states[i]!
        const found = { ...state, seriesStart: 0, nextAttemptAt: null, nextDelayMs: null }
        const what = workState({ attempt }, found, false)
        row.taken = true
        if (owner.deleted) settle(lane, offset)
        else if (what === "current" && !known.has(keys[i]!)) {
          known.add(keys[i]!)
          const commands = tell({
            kind: "offered",
            webhookId: owner.id,
            current: currentWebhook(owner),
            work: workOf(row, attempt, () => settle(lane, offset))
          })
          if (commands.some(({ kind }) => kind === "refuse")) refused.push(offset)
        } else {
          if (what === "early") delayed.push({ row, attempt })
          settle(lane, offset)
        }
      }
      if (refused.length === 0) return over()
      statement(
        undefined,
        () => rows.spill(refused.map((offset) => records[offset]!.row.id)),
        () => {
          for (const [id, of] of Map.groupBy(refused, (offset) => records[offset]!.row.owner.id))
            tell({ kind: "refusedSpilled", webhookId: id, lane, works: of.length })
          for (const offset of refused) settle(lane, offset)
          over()
        }
      )
    }
    statement(undefined, () => batch.map(({ row }) => ({ ...row })), offerAll)
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
    publish: (owner, lane) => {
      const record = { row: rows.make(owner, lane), attempt: 1 }
      // The log may deliver duplicates.
      log[lane].records.push(record, ...(chance.flip(0.05) ? [record] : []))
    },
    change: (owner, permission) => {
      owner.permission = permission
      if (machine.outlets.has(owner.id))
        tell({ kind: "changed", webhookId: owner.id, current: currentWebhook(owner) })
    },
    remove: (owner) => {
      owner.deleted = true
      rows.removeOf(owner)
      if (machine.outlets.has(owner.id)) tell({ kind: "changed", webhookId: owner.id, current: undefined })
    },
    end: (place) => {
      const [one] = underWay.splice(place, 1)
      now = Math.max(now, one!.atMs)
      one!.go()
      check()
    },
    inUse: () => [...joined.values()].reduce((sum, { inUse }) => sum + inUse, 0)
  }
}
