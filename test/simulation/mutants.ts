/**
 * Wrong variants of the program: each is one change of its syntax tree (treeEdit.ts), made in a copy. The simulation
 * must catch every one of them; one that survives means that a check or a fault is missing.
 */
import { globSync, readFileSync, statSync } from "node:fs"
import { failoverMutants } from "./failoverMutants.ts"
import { sendingMutants } from "./sendingMutants.ts"
import { edited, type Mutant } from "./treeEdit.ts"

/** The changed file of a mutant, for each place that it finds. There must be one. */
export const changes = (mutant: Mutant): ReadonlyArray<{ readonly file: string; readonly text: string }> => {
  const path = `src/${mutant.part}`
  const files = statSync(path).isDirectory() ? globSync(`${path}/**/*.ts`) : [path]
  return files.flatMap((file) => edited(readFileSync(file, "utf8"), mutant).map((text) => ({ file, text })))
}

export const mutants: ReadonlyArray<Mutant> = [
  ...sendingMutants,
  ...failoverMutants,
  {
    name: "a retry whose record was lost in a crash is not appended again",
    caughtBy: "settles",
    part: "spine/deliver",
    find: '$known ? "unanswered" : $other',
    wrong: '$known ? "duplicate" : $other'
  },
  {
    name: "route commits before it queues",
    caughtBy: "wantedDeliveries",
    part: "spine/route",
    find: "log.transaction({ append: yield* continued(next.append), ...$rest })",
    wrong:
      "(yield* partition.commit(nextOffset), log.transaction({ append: yield* continued(next.append), $rest }))"
  },
  {
    name: "work that was in the log at the start is taken for new",
    caughtBy: "repeatsBounded",
    part: "spine/deliver",
    find: "offset >= partition.endOffsetAtStart",
    wrong: "true"
  },
  {
    name: "work that route queues again is taken for new",
    caughtBy: "repeatsBounded",
    part: "spine/route",
    find: "offset < partition.endOffsetAtStart",
    wrong: "false"
  },
  {
    name: "offsets of what waits are released before its rows are written",
    caughtBy: "settles",
    part: "spine/deliver",
    find: "yield* backlog.move($lane, $works); gotRows($scheduler, $lane, $works)",
    wrong:
      "for (const work of $works) work.acknowledge?.(); yield* backlog.move($lane, $works); gotRows($scheduler, $lane, $works)"
  },
  {
    name: "offsets of what waits are never released",
    caughtBy: "settles",
    part: "spine/deliver",
    find: "work.acknowledge?.(); work.acknowledge = undefined",
    wrong: "work.acknowledge = undefined"
  },
  {
    name: "a first attempt whose row exists is not recorded",
    caughtBy: "settles",
    part: "spine/deliveries",
    find: "record(ended.map($attempt), disableAfter)",
    wrong: "Effect.succeed([])"
  },
  {
    name: "a delivery whose webhook was deleted on its way gets no row",
    caughtBy: "wantedDeliveries",
    part: "spine/deliver",
    find: "deliveries.failUnwritten(works, $why, $now)",
    wrong: "deliveries.fail(works.map((one) => one.deliveryId), $why, $now)"
  },
  {
    name: "route commits an event of which parts are left",
    caughtBy: "wantedDeliveries",
    part: "spine/route",
    find: "Math.min(offset, deferred.firstOffset() ?? offset)",
    wrong: "offset"
  },
  {
    name: "a webhook's delivery passes a deferred one of it",
    caughtBy: "firstsInOrder",
    part: "spine/route",
    find: "wanting.filter(({ id }) => !deferred.has(id))",
    wrong: "wanting"
  },
  {
    name: "a replaced exclusive writer may write",
    caughtBy: "everyLedgerOnce",
    part: "spine/log",
    find: "newest.get(name) === writer",
    wrong: "newest.has(name)"
  },
  {
    name: "ingest appends again without reading what has landed",
    caughtBy: "everyLedgerOnce",
    part: "spine/ledger",
    find: "mayHaveLanded && (yield* landed($last, previous))",
    wrong: "mayHaveLanded && previous === null"
  },
  {
    name: "a success does not reset the counter of failures",
    caughtBy: "countersRight",
    part: "spine/deliveries",
    find: "consecutive_failures = 0",
    wrong: "consecutive_failures += 0"
  },
  {
    name: "an answer does not end the incident of its webhook",
    caughtBy: "healthAgrees",
    part: "spine/deliveries",
    find: "incident === undefined ? before.incident_ended_at : incident.ended_at",
    wrong: "before.incident_ended_at"
  },
  {
    name: "progress takes work without a row for finished",
    caughtBy: "progressAgrees",
    part: "features/progress",
    find: "rows.get(deliveryId)?.waits ?? !hadRow",
    wrong: "rows.get(deliveryId)?.waits ?? hadRow"
  },
  {
    name: "progress does not see a failed delivery that is retried by hand",
    caughtBy: "progressAgrees",
    part: "spine/deliveries",
    sql: true,
    find: "next_attempt_at = ${" + "timestamp(sql, nowMs)},",
    wrong: "next_attempt_at = CASE status WHEN 'failed' THEN NULL ELSE ${" + "timestamp(sql, nowMs)} END,"
  },
  {
    name: "progress reads what is routed after the work",
    caughtBy: "progressAgrees",
    part: "features/progress",
    find: "const read: PartitionRead = { routed, ...$rest }",
    wrong:
      "const read = { routed: new Map(yield* Effect.forEach(networks, (one) => Effect.map(readRouted(log, one), (found) => [one, found] as const))), $rest }"
  },
  {
    name: "progress counts all unread work as later",
    caughtBy: "progressAgrees",
    part: "features/progress",
    find: "({ ...read, unreadAfter })",
    wrong: "read"
  },
  {
    name: "a gap begins one ledger late",
    caughtBy: "gapsCover",
    part: "spine/store",
    sql: true,
    find: "coalesce(r.routed_through, 0) + 1",
    wrong: "coalesce(r.routed_through, 0) + 2"
  },
  {
    name: "a lane does not hear that its webhook was activated",
    caughtBy: "settles",
    part: "spine/deliver",
    find: "registry.subscribe(changed)",
    wrong: "() => undefined"
  },
  {
    name: "route does not wait for changes of webhooks",
    caughtBy: "wantedDeliveries",
    part: "spine/route",
    find: "webhooks.upToDate.pipe($retry)",
    wrong: "Effect.void"
  },
  {
    name: "the watermark passes open deliveries",
    caughtBy: "wantedDeliveries",
    part: "spine/deliver",
    find: "() => committable",
    wrong: "() => (offsets.at(-1) ?? committable - 1) + 1"
  },
  {
    name: "the outbox leaves out a row after each batch",
    caughtBy: "settles",
    part: "spine/store",
    sql: true,
    find: "WHERE id > ${" + "afterId}::bigint",
    wrong: "WHERE id > ${" + "afterId}::bigint + 1"
  },
  {
    name: "an account filter is ignored",
    caughtBy: "wantedDeliveries",
    part: "spine/route",
    find: "({ id, account_id, network, includes: $includes, types: $types, wantsPayload: $wants, accounts: account_filters.map(accountKey) })",
    wrong:
      "({ id, account_id, network, includes: $includes, types: $types, wantsPayload: $wants, accounts: [] })"
  },
  {
    name: "delay commits waiting retries with the ones that are due",
    caughtBy: "settles",
    part: "spine/delay",
    find: "due.at(-1)!.record.offset + 1",
    wrong: "waiting.at(-1)!.record.offset + 1"
  },
  {
    name: "whatever waits is measured with the wall clock",
    caughtBy: "settles",
    part: "spine/words",
    find: "Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS",
    wrong: "clock.currentTimeMillisUnsafe()"
  },
  {
    name: "a retry waits longer than its delay if the clock was set back",
    caughtBy: "settles",
    part: "spine/delay",
    find: "Math.min(monotonicMs - ageMs, seenMs) + waitMs",
    wrong: "monotonicMs - (wallMs - timestamp) + waitMs"
  },
  {
    name: "a lease from before the database's clock was set back stays",
    caughtBy: "settles",
    part: "spine/store",
    sql: true,
    find: "OR leases.expires_at > excluded.expires_at",
    wrong: ""
  },
  {
    name: "events and their marker are appended in two transactions",
    caughtBy: "everyEventOnce",
    part: "spine/ledger",
    find: "writer.transaction({ ...transaction, append })",
    wrong:
      "Effect.flatMap(writer.transaction({ append }), (at) => writer.transaction({ append: transaction.appendThen!(at) }))"
  },
  {
    name: "the event index commits before it writes",
    caughtBy: "eventLogComplete",
    part: "features/events/IndexEvents.ts",
    find: "const write = $write",
    wrong: "yield* partition.commit(records.at(-1)!.offset + 1); const write = $write"
  },
  {
    name: "a series of attempts ends one attempt early",
    caughtBy: "endedWithReason",
    part: "spine/domain",
    find: "policy.delaysMs[seriesAttempt - 1]",
    wrong: "policy.delaysMs[seriesAttempt]"
  },
  {
    name: "a delivery that is ended without an attempt gets no reason",
    caughtBy: "endedWithReason",
    part: "spine/deliveries",
    sql: true,
    find: "last_error = ${" + "reason}, parked = false",
    wrong: "parked = false"
  },
  {
    name: "deliveries that a response lists as failed count as delivered",
    caughtBy: "statusesTrue",
    part: "spine/deliver",
    find: "failed?.has(id) === true ? $listed : $all",
    wrong: "failed?.has(batchId) === true ? $listed : $all"
  },
  {
    name: "a batch swaps the ids of its webhook and its deliveries",
    caughtBy: "statusesTrue",
    part: "spine/deliver",
    find: "batchItem($format, $event, $webhook, $delivery)",
    wrong: "batchItem($format, $event, $delivery, $webhook)"
  },
  {
    name: "the last failed attempt of a series is not stored",
    caughtBy: "attemptsRecorded",
    part: "spine/deliveries",
    find: '$attempt.status === "delivered" ? [] : [$attempt]',
    wrong: '$attempt.status === "retrying" ? [$attempt] : []'
  },
  {
    name: "an actor that stops does not wait for its attempts",
    caughtBy: "repeatsBounded",
    part: "spine/deliver",
    find: "scheduler.stopped && scheduler.sending === 0",
    wrong: "scheduler.stopped"
  },
  {
    name: "a batch has one delivery too many",
    caughtBy: "windowsKept",
    part: "spine/deliver",
    find: "items.length === batch.max_events",
    wrong: "items.length > batch.max_events"
  },
  {
    name: "a webhook that fails is not disabled",
    caughtBy: "failingDisabled",
    part: "spine/deliver",
    find: "disable(failing).pipe($retry)",
    wrong: "Effect.void"
  },
  {
    name: "a payload filter is ignored",
    caughtBy: "wantedDeliveries",
    part: "spine/route",
    find: "payload_filter === undefined ? undefined : $wants",
    wrong: "undefined"
  },
  {
    name: "route queues deliveries of an account on hold",
    caughtBy: "wantedDeliveries",
    part: "spine/route",
    find: "permissionUnder(holds.get(account_id), network)",
    wrong: "permissionUnder(undefined, network)"
  },
  {
    name: "a replay ends one event early",
    caughtBy: "replaysComplete",
    part: "features/replay",
    find: "const endOffset = Math.min(job.endOffset, $to)",
    wrong: "const endOffset = Math.min(job.endOffset - 1, $to)"
  },
  {
    name: "a replay stores its progress before it queues",
    caughtBy: "replaysComplete",
    part: "features/replay",
    find: 'traced(queue(events), "replay events", $facts)',
    wrong:
      '(yield* jobs.advance(job, { processedEvents, cursor: batch.cursor, nextOffset }).pipe(retryUntilSuccess("")), traced(queue(events), "replay events", $facts))'
  },
  {
    name: "history that was appended before a crash is not found again",
    caughtBy: "pastLedgersOnce",
    part: "spine/ledger",
    find: "if (newest !== undefined) yield* describe(newest)",
    wrong: ""
  },
  {
    name: "ingest takes its own ledger for another process's",
    caughtBy: "noDefects",
    part: "spine/ledger",
    find: "found.ledger_hash === last.ledger_hash",
    wrong: "found.ledger_hash !== last.ledger_hash"
  },
  {
    name: "an actor begins before its process has read the webhooks",
    caughtBy: "settles",
    part: "spine/deliver/Actor.ts",
    find: "registry.upToDate.pipe($retry)",
    wrong: "Effect.void"
  }
]
