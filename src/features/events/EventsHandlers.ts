/**
 * `/v1/events`: reads the event index that the stage `events` writes. An event is shown as webhooks receive it, with
 * `position` instead of `webhook_id`.
 */

import { Clock, Effect, Option, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { networkRules } from "../../http/CommonRules.ts"
import { Caller, ledgerIndexBounds } from "../../http/ContractParts.ts"
import { NotFound } from "../../http/Errors.ts"
import { CostlyTurns } from "../../http/guard/Turns.ts"
import { makePage } from "../../http/Pages.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { ledgerOfEventId } from "../../spine/event/EventId.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { type Includable, type IncludableFields, includedFields } from "../../spine/event/Include.ts"
import { isoTime, unixMsToRipple } from "../../spine/event/Ledger.ts"
import { defaultNetwork, type KeyEnvironment, type Network, networksOf } from "../../spine/event/Network.ts"
import { iso, parseIsoTime } from "../../spine/words/IsoTime.ts"
import { dayOf, inOrder, previewDay } from "./DayPreview.ts"
import { EventCounts } from "./EventCounts.ts"
import { type EventPlace, EventQueries, type EventRow } from "./EventQueries.ts"
import { dayPreviewRules, eventListRules } from "./EventRules.ts"
import { type Event, eventsApi } from "./EventsContract.ts"
import { makeStreamEvents } from "./stream/EventStreamHandlers.ts"

const eventOf = (row: EventRow, include: ReadonlyArray<Includable> = []): Event => ({
  event_id: row.eventId,
  event_type: row.eventType,
  ledger_index: row.ledgerIndex,
  position: row.position,
  timestamp: isoTime(unixMsToRipple(row.closeTime * 1_000)),
  network: row.network,
  // The events stage wrote both as objects.
  payload: {
    ...(JSON.parse(row.payload) as Event["payload"]),
    ...includedFields(JSON.parse(row.included ?? "{}") as IncludableFields, include)
  }
})

/** The place of the last event shown, as the id in a cursor. */
const idOfPlace = ({ closeTime, network, ledgerIndex, position }: EventPlace): string =>
  [closeTime, network, ledgerIndex, position].join(" ")

/** `id` was made by `idOfPlace`: the cursor's HMAC guarantees it. */
const placeOfId = (id: string): EventPlace => {
  const [closeTime, network, ledgerIndex, position] = id.split(" ")
  return {
    closeTime: Number(closeTime),
    network: network as Network,
    ledgerIndex: Number(ledgerIndex),
    position: Number(position)
  }
}

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseIsoTime(text)

/** The given network, which the rules have checked, or all networks that a key of this environment sees. */
export const networksFor = (environment: KeyEnvironment, network: Network | undefined) =>
  network === undefined ? networksOf(environment) : [network]

const isoSecond = (unixSeconds: number): string => iso(unixSeconds * 1_000)

export const eventsLayer = HttpApiBuilder.group(
  eventsApi,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const events = yield* EventQueries
    const page = yield* makePage
    const counts = yield* EventCounts
    const costly = yield* CostlyTurns
    const heavy = yield* Semaphore.make(Limits.heavyRequestsAtOnce)

    return handlers.handleAll({
      stream: yield* makeStreamEvents,

      list: Effect.fnUntraced(function* ({ query }) {
        yield* checkRules(eventListRules, query, settings)
        const networks = networksFor((yield* Caller).environment, query.network)
        const [since, until] = [timeOf(query.since), timeOf(query.until)]
        const ledgerIndexMin = numberOf(query.ledger_index_min)
        const ledgerIndexMax = numberOf(query.ledger_index_max)
        // Returns the types without duplicates and in a fixed order. A list of all types means no filter.
        const wanted = expandPatterns(query.event_type ?? [])
        const filter = {
          networks,
          eventTypes: wanted.length === eventTypes.length ? [] : wanted,
          account: query.account,
          ledgerIndexMin,
          ledgerIndexMax,
          since,
          until
        }
        const read = (afterId: string | undefined, limit: number) =>
          Effect.map(
            events.list(filter, afterId === undefined ? undefined : placeOfId(afterId), limit),
            (rows) => rows.map((row) => ({ ...row, id: idOfPlace(row) }))
          )
        return yield* page(query, ["events", JSON.stringify(filter)], read, (row) =>
          eventOf(row, query.include)
        )
      }, orUnavailable),

      counts: Effect.fnUntraced(function* ({ query }) {
        const { accountId, environment } = yield* Caller
        yield* checkRules(networkRules, query, settings)
        const network = query.network ?? defaultNetwork[environment]
        const day = dayOf(yield* Clock.currentTimeMillis)
        const tally = counts.tally({ network, eventTypes: undefined, accounts: undefined, ...day })
        const tallied = yield* costly.run(accountId, heavy.withPermit(tally))
        return {
          network,
          since: isoSecond(day.from),
          until: isoSecond(day.before),
          by_type: inOrder(new Map(tallied.map(({ type, events }) => [type, events])))
        }
      }, orUnavailable),

      preview: Effect.fnUntraced(function* ({ payload }) {
        const { accountId, environment } = yield* Caller
        yield* checkRules(dayPreviewRules, payload, settings)
        const network = payload.network ?? defaultNetwork[environment]
        const types = expandPatterns(payload.event_types)
        const payloadFilter = payload.payload_filter ?? undefined
        const accounts = [...new Set(payload.account_filters)]
        const preview = previewDay(
          { counts, events },
          { network, types, accounts, payloadFilter },
          yield* Clock.currentTimeMillis
        )
        const day = yield* costly.run(accountId, heavy.withPermit(preview))
        return {
          network,
          since: isoSecond(day.from),
          until: isoSecond(day.before),
          candidates: day.candidates,
          ...(day.atLeast ? { at_least: true as const } : {}),
          examined: day.examined,
          examined_since: isoSecond(day.examinedFrom),
          matched: day.matched,
          by_type: day.byType,
          parts: day.parts,
          samples: day.samples.map((row) => eventOf(row))
        }
      }, orUnavailable),

      get: Effect.fnUntraced(function* ({ params: { event_id: eventId }, query }) {
        yield* checkRules(networkRules, query, settings)
        const [network] = networksFor((yield* Caller).environment, query.network)
        const ledgerIndex = ledgerOfEventId(eventId)
        const row =
          network === undefined || ledgerIndex > ledgerIndexBounds.maximum
            ? Option.none()
            : yield* events.find(network, ledgerIndex, eventId)
        return Option.isNone(row)
          ? yield* NotFound.because(`There is no event ${eventId}.`, { param: "event_id" })
          : eventOf(row.value, query.include)
      }, orUnavailable)
    })
  })
)
