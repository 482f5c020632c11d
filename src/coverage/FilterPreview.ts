/**
 * What a webhook's filters would have matched among the newest events of its network, by the rules that route uses. The
 * events are read from the log, page by page from its end, so that the answer counts exactly the newest ones.
 */
import { Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { eventTypes } from "../domain/EventType.ts"
import { compileStored } from "../domain/filter/Match.ts"
import { eventsTopic, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { matching, type ReplayFilters } from "../domain/Replay.ts"
import { webhookBounds } from "../domain/WebhookRules.ts"
import type { EventLogReader } from "../log/EventLog.ts"

/** Under the names that the API answers with. */
export interface FilterPreview {
  readonly examined: number
  /** Of the wanted types and accounts, whatever their payloads. */
  readonly candidates: number
  readonly matched: number
  /** In the order of the types; a type without matches is left out. */
  readonly by_type: Readonly<Record<string, number>>
  /** Close times of the oldest and the newest event examined; null when there was none. */
  readonly oldest_at: string | null
  readonly newest_at: string | null
  /** Of the newest matches, newest first. */
  readonly sample_event_ids: ReadonlyArray<string>
}

type Log = EventLogReader["Service"]

/** The records of the topic from offset `from` on, up to `before`. A read may give fewer than there are. */
const readPage = Effect.fnUntraced(function* (log: Log, topic: string, from: number, before: number) {
  const values: Array<string | null> = []
  let offset = from
  while (offset < before) {
    const records = yield* log.read({ topic, partition: 0, offset }, before - offset)
    const last = records.at(-1)
    if (last === undefined) break
    for (const record of records) if (record.offset < before) values.push(record.value)
    offset = last.offset + 1
  }
  return values
})

/** `events`: how many to examine, at most. */
export const previewFilters = Effect.fnUntraced(function* (
  log: Log,
  network: Network,
  { payload_filter: payloadFilter, ...others }: ReplayFilters,
  events: number
) {
  const isCandidate = matching(others)
  const wantsPayload = payloadFilter === undefined ? undefined : compileStored(payloadFilter)
  const topic = eventsTopic(network)
  const { start, end } = yield* log.offsets({ topic, partition: 0 })
  const counts = new Map<string, number>()
  const sample_event_ids: Array<string> = []
  let [examined, candidates, matched] = [0, 0, 0]
  let oldest_at: string | null = null
  let newest_at: string | null = null

  for (let before = end; before > start && examined < events; before -= Limits.previewReadRecords) {
    const values = yield* readPage(log, topic, Math.max(start, before - Limits.previewReadRecords), before)
    for (const value of values.reverse()) {
      const event = examined < events ? parseLedgerEvent(value) : undefined
      if (event === undefined) continue
      examined++
      oldest_at = event.timestamp
      newest_at ??= event.timestamp
      if (!isCandidate(event)) continue
      candidates++
      if (wantsPayload?.(event) === false) continue
      matched++
      counts.set(event.event_type, (counts.get(event.event_type) ?? 0) + 1)
      if (sample_event_ids.length < webhookBounds.previewSamples) sample_event_ids.push(event.event_id)
    }
    // Other requests of the process must not wait for the whole.
    yield* Effect.yieldNow
  }
  const by_type = Object.fromEntries(
    eventTypes.flatMap((type) => {
      const count = counts.get(type)
      return count === undefined ? [] : [[type, count]]
    })
  )
  return {
    examined,
    candidates,
    matched,
    by_type,
    oldest_at,
    newest_at,
    sample_event_ids
  } satisfies FilterPreview
})
