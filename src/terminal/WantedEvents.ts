/** The flags that select the events of a replay, and the checks on their combination. */

import { Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import { type ReplayFilters, replayBounds } from "../spine/domain/Replay.ts"
import { addressProblem } from "../spine/event/AccountId.ts"
import { isEventId } from "../spine/event/EventId.ts"
import { type EventType, eventTypes, expandPattern } from "../spine/event/EventType.ts"
import type { EventId } from "../spine/words/Ids.ts"
import { parseIsoTime } from "../spine/words/IsoTime.ts"
import { patternAccepted } from "./EventTypeFlags.ts"
import { wrongUsage } from "./Failure.ts"
import { optional, optionalText, several } from "./Flags.ts"
import { fileFault, linesOf } from "./InputFile.ts"
import { payloadFilterFlag, payloadFilterOf } from "./PayloadFilterFlag.ts"

const EVENT_ID =
  "an event id: xrpl:<ledger_index>:<tx_hash>:<event_type>, followed by :<sub_index> if one transaction caused several events of the type"

/** No event id is longer. */
const LINE_LENGTH = 1_000

export const timeFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => Option.fromNullishOr(parseIsoTime(text)),
      () => "an ISO 8601 date-time with an offset, such as 2026-11-21T09:30:00Z"
    ),
    optional
  )

/** `since` and `until`: undefined if the flag is not given. */
export const checkSpan = (since: number | undefined, until: number | undefined) =>
  since !== undefined && until !== undefined && since >= until
    ? Effect.fail(wrongUsage("--since must be before --until."))
    : Effect.void

export const typeFlag = (description: string) =>
  Flag.String("type").pipe(
    Flag.withMetavar("TYPE"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => Option.liftPredicate(expandPattern(text), (types) => types.length > 0),
      patternAccepted
    ),
    several
  )

export const addressFlag = (description: string) =>
  Flag.String("account").pipe(
    Flag.withMetavar("ADDRESS"),
    Flag.withDescription(description),
    Flag.filter(
      (address) => addressProblem(address) === undefined,
      () => "a classic XRPL address (r…)"
    )
  )

export const wantedFlags = {
  eventIds: Flag.String("event-id").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("The id of an event to send; repeat the flag for several"),
    Flag.filter(isEventId, () => EVENT_ID),
    several
  ),
  eventIdsFile: optionalText(
    "event-ids-file",
    "FILE",
    "A file of event ids, one per line; - means standard input"
  ),
  types: typeFlag("Only events of this type (nft.minted) or family ('nft.*'); repeat the flag for several"),
  accounts: addressFlag("Only events that involve this XRPL address; repeat the flag for several").pipe(
    several
  ),
  payloadFilter: payloadFilterFlag("Only events whose payload matches this filter"),
  since: timeFlag("since", "Only events of ledgers that closed after this time (exclusive)"),
  until: timeFlag("until", "Only events of ledgers that closed before this time (exclusive)")
}

/** The events to replay: either event ids or filters. */
export type Wanted =
  | { readonly eventIds: ReadonlyArray<EventId>; readonly filters: undefined }
  | { readonly eventIds: undefined; readonly filters: ReplayFilters }

interface GivenFlags {
  readonly eventIds: ReadonlyArray<EventId>
  readonly eventIdsFile: string | undefined
  readonly types: ReadonlyArray<ReadonlyArray<EventType>>
  readonly accounts: ReadonlyArray<string>
  readonly payloadFilter: string | undefined
  readonly since: number | undefined
  readonly until: number | undefined
}

const idsOfFile = Effect.fnUntraced(function* (file: string) {
  const ids = new Set<string>()
  let number = 0
  yield* linesOf(file, LINE_LENGTH).pipe(
    Stream.runForEach((line) => {
      number++
      const id = line.trim()
      if (id === "") return Effect.void
      if (!isEventId(id))
        return Effect.fail(wrongUsage(`--event-ids-file ${file}: line ${number} must be ${EVENT_ID}.`))
      ids.add(id)
      return ids.size > replayBounds.replayEventIds
        ? Effect.fail(
            wrongUsage(
              `--event-ids-file ${file} contains more than ${replayBounds.replayEventIds} event ids; split it and create several replays.`
            )
          )
        : Effect.void
    }),
    Effect.catchTag("PlatformError", (error) => Effect.fail(fileFault(file, error)))
  )
  return ids
})

export const wantedOf = Effect.fnUntraced(function* (given: GivenFlags) {
  const { types, accounts, eventIdsFile: file, since, until } = given
  const byIds = given.eventIds.length > 0 || file !== undefined
  const byFilters =
    types.length > 0 ||
    accounts.length > 0 ||
    given.payloadFilter !== undefined ||
    since !== undefined ||
    until !== undefined
  if (byIds === byFilters) {
    return yield* wrongUsage(
      byIds
        ? "event ids (--event-id, --event-ids-file) and filters (--type, --account, --payload-filter, --since, --until) cannot be used together."
        : "say which events: --event-id or --event-ids-file, or --type, --account, --payload-filter, --since, --until; `--type '*'` means all retained events."
    )
  }
  if (byFilters) {
    yield* checkSpan(since, until)
    const named = new Set(types.flat())
    const payloadFilter = yield* payloadFilterOf(
      given.payloadFilter,
      named.size === 0 ? eventTypes : [...named]
    )
    const filters: ReplayFilters = {
      ...(named.size === 0 || named.size === eventTypes.length ? {} : { event_types: [...named] }),
      ...(accounts.length === 0 ? {} : { accounts: [...new Set(accounts)] }),
      ...(payloadFilter === undefined ? {} : { payload_filter: payloadFilter }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until })
    }
    return { eventIds: undefined, filters } satisfies Wanted
  }
  const listed = file === undefined ? [] : yield* idsOfFile(file)
  const eventIds = [...new Set([...given.eventIds, ...listed])]
  if (eventIds.length === 0) return yield* wrongUsage(`--event-ids-file ${file} contains no event id.`)
  if (eventIds.length > replayBounds.replayEventIds)
    return yield* wrongUsage(
      `a replay can have at most ${replayBounds.replayEventIds} event ids; create several replays.`
    )
  return { eventIds, filters: undefined } satisfies Wanted
})
