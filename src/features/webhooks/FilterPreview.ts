/**
 * Counts what a webhook's filters would have matched among the newest events of its network, by the same rules as
 * route. It reads the events topic in pages from its end, so the newest events are counted exactly.
 */
import { Effect } from "effect"
import { Limits } from "../../spine/config/Limits.ts"
import { matching, type ReplayFilters } from "../../spine/domain/Replay.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { eventsTopic, parseLedgerEvent } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import { compileStored } from "../../spine/filter/Match.ts"
import type { LogReader } from "../../spine/log/Log.ts"
import { webhookBounds } from "./Limits.ts"

/** How long other work runs between the pages of a preview: two previews take a tenth of the time. */
const PAUSE_MS = 50

/** The fields have the names of the API's response. */
export interface FilterPreview {
  readonly examined: number
  /** Events of a wanted type and account, whatever the payload. */
  readonly candidates: number
  readonly matched: number
  /** In the order of `eventTypes`. A type without matches is left out. */
  readonly by_type: Readonly<Record<string, number>>
  /** When the ledgers of the oldest and the newest examined event closed; null if there was no event. */
  readonly oldest_at: string | null
  readonly newest_at: string | null
  /** The newest matches, newest first. */
  readonly sample_event_ids: ReadonlyArray<string>
}

type Reader = LogReader["Service"]

/** The values from offset `from` up to `before`. One read may return fewer records than there are. */
const readPage = Effect.fnUntraced(function* (log: Reader, topic: string, from: number, before: number) {
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

/** `events`: the most events to examine. */
export const previewFilters = Effect.fnUntraced(function* (
  log: Reader,
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

  for (let before = end; before > start && examined < events; before -= Limits.parsedRecords) {
    const values = yield* readPage(log, topic, Math.max(start, before - Limits.parsedRecords), before)
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
    // Other work runs meanwhile: a process may deliver, too.
    if (before - Limits.parsedRecords > start && examined < events) yield* Effect.sleep(PAUSE_MS)
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
