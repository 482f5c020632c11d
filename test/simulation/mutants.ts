/**
 * Wrong variants of the program: each is one replacement in one file of `src`, made in a copy. The simulation must
 * catch every one of them; one that survives means that a check or a fault is missing.
 */
export interface Mutant {
  readonly name: string
  /** The check that must be the first to notice it. `settles`: the run leaves something to do. */
  readonly caughtBy: string
  readonly file: string
  /** Occurs once in the file. */
  readonly code: string
  readonly wrong: string
}

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a retry whose record was lost in a crash is not appended again",
    caughtBy: "settles",
    file: "src/deliver/take/WorkState.ts",
    code: '? "unanswered"',
    wrong: '? "duplicate"'
  },
  {
    name: "route commits before it queues",
    caughtBy: "wantedDeliveries",
    file: "src/route/Stage.ts",
    code: "    yield* log.transaction({\n      append: yield* continued(batch.append),",
    wrong:
      "    yield* partition.commit(nextOffset)\n    yield* log.transaction({\n      append: yield* continued(batch.append),"
  },
  {
    name: "work that was in the log at the start is taken for new",
    caughtBy: "repeatsBounded",
    file: "src/deliver/take/Feed.ts",
    code: "row.again === undefined && offset >= partition.endOffsetAtStart",
    wrong: "row.again === undefined && offset >= 0"
  },
  {
    name: "work that route queues again is taken for new",
    caughtBy: "repeatsBounded",
    file: "src/route/Stage.ts",
    code: "offset < partition.endOffsetAtStart ?",
    wrong: "offset < 0 ?"
  },
  {
    name: "offsets of what waits are released before its rows are written",
    caughtBy: "wantedDeliveries",
    file: "src/deliver/queue/Dispatcher.ts",
    code: "        yield* backlog.move(lane, works)\n        gotRows(",
    wrong:
      "        for (const work of works) work.acknowledge?.()\n        yield* backlog.move(lane, works)\n        gotRows("
  },
  {
    name: "offsets of what waits are never released",
    caughtBy: "settles",
    file: "src/deliver/queue/Dispatcher.ts",
    code: "    work.acknowledge?.()\n    work.acknowledge = undefined\n",
    wrong: "    work.acknowledge = undefined\n"
  },
  {
    name: "a first attempt whose row exists is not recorded",
    caughtBy: "settles",
    file: "src/storage/deliveries/DeliveryStore.ts",
    code: "              return yield* record(\n                ended.map",
    wrong:
      "              if (ended.length > 0) return []\n              return yield* record(\n                ended.map"
  },
  {
    name: "a delivery whose webhook was deleted on its way gets no row",
    caughtBy: "wantedDeliveries",
    file: "src/deliver/queue/Backlog.ts",
    code: ".failUnwritten(works,",
    wrong: ".fail(works.map((one) => one.deliveryId),"
  },
  {
    name: "route commits an event of which parts are left",
    caughtBy: "wantedDeliveries",
    file: "src/route/Stage.ts",
    code: "Math.min(offset, deferred.firstOffset() ?? offset)",
    wrong: "offset"
  },
  {
    name: "a webhook's delivery passes a deferred one of it",
    caughtBy: "firstsInOrder",
    file: "src/route/Stage.ts",
    code: "wanting.filter(({ id }) => !deferred.has(id))",
    wrong: 'wanting.filter(({ id }) => !deferred.has(id) || id !== "")'
  },
  {
    name: "a replaced exclusive writer may write",
    caughtBy: "everyLedgerOnce",
    file: "src/log/Exclusive.ts",
    code: "newest.get(name) === writer",
    wrong: "newest.has(name)"
  },
  {
    name: "ingest appends again without reading what has landed",
    caughtBy: "everyLedgerOnce",
    file: "src/ledger/LedgerAppender.ts",
    code: "if (mayHaveLanded && (yield* landed(markers.at(-1)!, previous))) return",
    wrong: "if (mayHaveLanded && previous === null) return"
  },
  {
    name: "a success does not reset the counter of failures",
    caughtBy: "countersRight",
    file: "src/storage/deliveries/FailureRuns.ts",
    code: "CASE WHEN b.last_delivered IS NULL THEN w.consecutive_failures ELSE 0 END",
    wrong: "w.consecutive_failures"
  },
  {
    name: "an answer does not end the incident of its webhook",
    caughtBy: "healthAgrees",
    file: "src/storage/deliveries/FailureRuns.ts",
    code: "CASE WHEN i.id IS NULL THEN w.incident_ended_at ELSE i.ended_at END",
    wrong: "w.incident_ended_at"
  },
  {
    name: "progress takes work without a row for finished",
    caughtBy: "progressAgrees",
    file: "src/coverage/WebhookProgress.ts",
    code: "rows.get(deliveryId)?.waits ?? !hadRow",
    wrong: "rows.get(deliveryId)?.waits ?? hadRow"
  },
  {
    name: "progress does not see a failed delivery that is retried by hand",
    caughtBy: "progressAgrees",
    file: "src/storage/deliveries/Transitions.ts",
    code: "      next_attempt_at = ${" + "timestamp(sql, nowMs)},\n",
    wrong:
      "      next_attempt_at = CASE status WHEN 'failed' THEN NULL ELSE ${" + "timestamp(sql, nowMs)} END,\n"
  },
  {
    name: "progress reads what is routed after the work",
    caughtBy: "progressAgrees",
    file: "src/coverage/UnfinishedWork.ts",
    code: "const read: PartitionRead = { routed,",
    wrong:
      "const read: PartitionRead = { routed: new Map(yield* Effect.forEach(networks, (one) =>\n" +
      "      Effect.map(readRouted(log, one), (found) => [one, found] as const))),"
  },
  {
    name: "progress counts all unread work as later",
    caughtBy: "progressAgrees",
    file: "src/coverage/UnfinishedWork.ts",
    code: "return { ...read, unreadAfter }",
    wrong: "return unreadAfter.size > 1000 ? { ...read, unreadAfter } : read"
  },
  {
    name: "a gap begins one ledger late",
    caughtBy: "gapsCover",
    file: "src/storage/migrations/0015_webhook_progress.ts",
    code: "coalesce(r.routed_through, 0) + 1",
    wrong: "coalesce(r.routed_through, 0) + 2"
  },
  {
    name: "a lane does not hear that its webhook was activated",
    caughtBy: "settles",
    file: "src/deliver/queue/Dispatcher.ts",
    code: "    registry.subscribe(changed),\n",
    wrong: ""
  },
  {
    name: "route does not wait for changes of webhooks",
    caughtBy: "wantedDeliveries",
    file: "src/route/Stage.ts",
    code: '      yield* webhooks.upToDate.pipe(retryUntilSuccess("catching up with webhooks.config"))\n',
    wrong: ""
  },
  {
    name: "the watermark passes open deliveries",
    caughtBy: "settles",
    file: "src/deliver/take/Watermark.ts",
    code: "committable: () => committable",
    wrong: "committable: () => (offsets.at(-1) ?? committable - 1) + 1"
  },
  {
    name: "the outbox leaves out a row after each batch",
    caughtBy: "settles",
    file: "src/storage/outbox/Outbox.ts",
    code: "WHERE id > ${" + "afterId}::bigint",
    wrong: "WHERE id > ${" + "afterId}::bigint + 1"
  },
  {
    name: "an account filter is ignored",
    caughtBy: "wantedDeliveries",
    file: "src/route/WebhookIndex.ts",
    code: "accounts: account_filters.length === 0 ? undefined : packAccountIds(account_filters)",
    wrong: "accounts: account_filters.length >= 0 ? undefined : packAccountIds(account_filters)"
  },
  {
    name: "a webhook may start one request after another",
    caughtBy: "ratesKept",
    file: "src/deliver/queue/WebhookQueue.ts",
    code: "Math.max(queue.paidUntil, nowMs) + SECOND_MS / maxPerSecond",
    wrong: "Math.max(queue.paidUntil, nowMs)"
  },
  {
    name: "a pause allows more than the requests of one second",
    caughtBy: "ratesKept",
    file: "src/deliver/queue/WebhookQueue.ts",
    code: "queue.paidUntil = Math.max(queue.paidUntil, nowMs) +",
    wrong: "queue.paidUntil = (queue.paidUntil || nowMs) +"
  },
  {
    name: "delay commits waiting retries with the ones that are due",
    caughtBy: "settles",
    file: "src/delay/Stage.ts",
    code: "offset: due.at(-1)!.record.offset + 1",
    wrong: "offset: waiting.at(-1)!.record.offset + 1"
  },
  {
    name: "whatever waits is measured with the wall clock",
    caughtBy: "settles",
    file: "src/domain/Monotonic.ts",
    code: "Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS",
    wrong: "clock.currentTimeMillisUnsafe() + 0 * NANOS_PER_MS"
  },
  {
    name: "a retry waits longer than its delay if the clock was set back",
    caughtBy: "settles",
    file: "src/delay/Wait.ts",
    code: "Math.min(monotonicMs - ageMs, seenMs) + waitMs",
    wrong: "Math.min(monotonicMs - (wallMs - timestamp) + 0 * ageMs * seenMs) + waitMs"
  },
  {
    name: "a lease from before the database's clock was set back stays",
    caughtBy: "settles",
    file: "src/storage/Leases.ts",
    code: "            OR leases.expires_at > excluded.expires_at\n",
    wrong: ""
  },
  {
    name: "events and their marker are appended in two transactions",
    caughtBy: "everyEventOnce",
    file: "src/ledger/LedgerAppender.ts",
    code: "          yield* writer.transaction({ ...transaction, append })\n",
    wrong:
      "          const at = yield* writer.transaction({ append })\n" +
      "          yield* writer.transaction({ append: transaction.appendThen!(at) })\n"
  },
  {
    name: "the event log commits before it writes",
    caughtBy: "eventLogComplete",
    file: "src/events/Stage.ts",
    code: "    const write = Clock",
    wrong: "    yield* partition.commit(records.at(-1)!.offset + 1)\n    const write = Clock"
  },
  {
    name: "a series of attempts ends one attempt early",
    caughtBy: "endedWithReason",
    file: "src/domain/RetryPolicy.ts",
    code: "policy.delaysMs[seriesAttempt - 1]",
    wrong: "policy.delaysMs[seriesAttempt]"
  },
  {
    name: "a delivery that is ended without an attempt gets no reason",
    caughtBy: "endedWithReason",
    file: "src/storage/deliveries/Transitions.ts",
    code: "last_error = ${" + "reason}, parked = false",
    wrong: "parked = false"
  },
  {
    name: "deliveries that a response lists as failed count as delivered",
    caughtBy: "statusesTrue",
    file: "src/deliver/send/Attempt.ts",
    code: "failed?.has(id) === true ? listed : all",
    wrong: "failed?.has(batchId) === true ? listed : all"
  },
  {
    name: "a batch swaps the ids of its webhook and its deliveries",
    caughtBy: "statusesTrue",
    file: "src/deliver/queue/WebhookQueue.ts",
    code: "batchItem(format, event, id, deliveryId)",
    wrong: "batchItem(format, event, deliveryId, id)"
  },
  {
    name: "the last failed attempt of a series is not stored",
    caughtBy: "attemptsRecorded",
    file: "src/storage/deliveries/Transitions.ts",
    code: "FROM moved WHERE status <> 'delivered'\n",
    wrong: "FROM moved WHERE status = 'retrying'\n"
  },
  {
    name: "an actor that stops does not wait for its attempts",
    caughtBy: "repeatsBounded",
    file: "src/deliver/queue/Dispatcher.ts",
    code: "if (scheduler.stopped && scheduler.sending === 0)",
    wrong: "if (scheduler.stopped)"
  },
  {
    name: "a webhook's concurrency limit is exceeded by one",
    caughtBy: "windowsKept",
    file: "src/deliver/queue/WebhookQueue.ts",
    code: "queue.inFlight >= (queue.lacking ? 1 : maxInFlight)",
    wrong: "queue.inFlight > (queue.lacking ? 1 : maxInFlight)"
  },
  {
    name: "a batch has one delivery too many",
    caughtBy: "windowsKept",
    file: "src/deliver/queue/WebhookQueue.ts",
    code: "items.length === batch.max_events",
    wrong: "items.length > batch.max_events"
  },
  {
    name: "a webhook that fails is not disabled",
    caughtBy: "failingDisabled",
    file: "src/deliver/record/Recorder.ts",
    code: "if (failing.length > 0) yield* disable(failing)",
    wrong: "if (failing.length < 0) yield* disable(failing)"
  },
  {
    name: "a payload filter is ignored",
    caughtBy: "wantedDeliveries",
    file: "src/route/WebhookIndex.ts",
    code: "wantsPayload: payload_filter === undefined ? undefined",
    wrong: "wantsPayload: payload_filter !== null ? undefined"
  },
  {
    name: "attempts of an account on hold begin",
    caughtBy: "holdsKept",
    file: "src/deliver/queue/Dispatcher.ts",
    code: "permissionUnder(holds.get(account_id), network)",
    wrong: "permissionUnder(holds.get(account_id) && undefined, network)"
  },
  {
    name: "route queues deliveries of an account on hold",
    caughtBy: "wantedDeliveries",
    file: "src/route/Stage.ts",
    code: "permissionUnder(holds.get(account_id), network)",
    wrong: "permissionUnder(holds.get(account_id) && undefined, network)"
  },
  {
    name: "a lane does not hear of holds",
    caughtBy: "settles",
    file: "src/deliver/queue/Dispatcher.ts",
    code: "registry.get(webhookId)?.config.account_id === accountId",
    wrong: "registry.get(webhookId)?.config.account_id === undefined"
  },
  {
    name: "a replay ends one event early",
    caughtBy: "replaysComplete",
    file: "src/replay/Plan.ts",
    code: "const endOffset = Math.min(job.endOffset,",
    wrong: "const endOffset = Math.min(job.endOffset - 1,"
  },
  {
    name: "a replay stores its progress before it queues",
    caughtBy: "replaysComplete",
    file: "src/replay/Runner.ts",
    code: '    yield* traced(queue(events), "replay events",',
    wrong:
      "    yield* jobs.advance(job, { processedEvents, cursor: batch.cursor, nextOffset })\n" +
      '      .pipe(retryUntilSuccess(""))\n    yield* traced(queue(events), "replay events",'
  },
  {
    name: "history that was appended before a crash is not found again",
    caughtBy: "pastLedgersOnce",
    file: "src/ledger/History.ts",
    code: "  if (newest !== undefined) yield* describe(newest)",
    wrong: "  if (newest !== undefined && newest.range.events < 0) yield* describe(newest)"
  },
  {
    name: "ingest takes its own ledger for another process's",
    caughtBy: "noDefects",
    file: "src/ledger/LedgerAppender.ts",
    code: "found?.detected_at === last.detected_at && found.ledger_hash === last.ledger_hash",
    wrong: "found?.detected_at === last.detected_at && found.ledger_hash !== last.ledger_hash"
  },
  {
    name: "an actor begins before its process has read the webhooks",
    caughtBy: "settles",
    file: "src/deliver/Actor.ts",
    code: '  yield* registry.upToDate.pipe(retryUntilSuccess("catching up with webhooks.config"))\n',
    wrong: ""
  }
]
