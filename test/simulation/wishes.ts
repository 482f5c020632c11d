/**
 * What the webhooks of a simulation want and its replays ask for, and a plain calculation of which events these are.
 */

import type { SeededRandom } from "../../src/features/simulator/SeededRandom.ts"
import type { ReplayFilters } from "../../src/spine/domain/Replay.ts"
import type { DetectedEvent, LedgerEvent } from "../../src/spine/event/LedgerEvent.ts"
import type { PayloadFilter } from "../../src/spine/filter/PayloadFilter.ts"

/** A field of the payload must have this text, or must not. */
interface PayloadWish {
  readonly field: string
  readonly text: string
  readonly isEqual: boolean
}

export interface Wish {
  /** Undefined: all. */
  readonly types: ReadonlyArray<DetectedEvent["event_type"]> | undefined
  /** Empty: all. */
  readonly accounts: ReadonlyArray<string>
  readonly payload: PayloadWish | undefined
}

/** A wish for past events, with the times between which their ledgers closed, both exclusive. */
export interface PastWish extends Wish {
  readonly sinceMs: number | undefined
  readonly untilMs: number | undefined
}

/** What occurs in the events of a run, so that wishes match some of them. */
export interface Occurring {
  readonly accounts: ReadonlyArray<string>
  readonly types: ReadonlyArray<DetectedEvent["event_type"]>
  /** Texts of payloads that are neither numbers nor times: these are compared by their value. */
  readonly texts: ReadonlyArray<Omit<PayloadWish, "isEqual"> & { readonly type: DetectedEvent["event_type"] }>
}

const textsOf = ({ event_type, payload }: DetectedEvent) =>
  Object.entries(payload).flatMap(([field, text]) =>
    typeof text === "string" && /^[a-z]/i.test(text) ? [{ type: event_type, field, text }] : []
  )

export const occurringIn = (events: ReadonlyArray<DetectedEvent>): Occurring => ({
  accounts: [...new Set(events.flatMap(({ accounts }) => accounts))].sort(),
  types: [...new Set(events.map(({ event_type }) => event_type))].sort(),
  texts: events.flatMap(textsOf)
})

export const chooseWish = ({ accounts, types, texts }: Occurring, chance: SeededRandom): Wish => {
  const wanted = chance.flip(0.4) ? undefined : chance.shuffle(types).slice(0, chance.int(1, 4))
  // The API takes only fields of the wanted types.
  const text = chance.pickOrNone(texts.filter(({ type }) => wanted?.includes(type) ?? true))
  return {
    types: wanted,
    accounts: chance.flip(0.7) ? [] : chance.shuffle(accounts).slice(0, chance.int(1, 8)),
    payload:
      text !== undefined && chance.flip(0.2)
        ? { field: text.field, text: text.text, isEqual: chance.flip(0.3) }
        : undefined
  }
}

export const choosePastWish = (
  occurring: Occurring,
  chance: SeededRandom,
  closedMs: ReadonlyArray<number>
): PastWish => ({
  ...chooseWish(occurring, chance),
  sinceMs: chance.flip(0.7) ? chance.pick(closedMs) : undefined,
  untilMs: chance.flip(0.3) ? chance.pick(closedMs) : undefined
})

export const wants = (wish: Wish | undefined, { accounts, event_type, payload }: DetectedEvent): boolean =>
  wish !== undefined &&
  (wish.types === undefined || wish.types.includes(event_type)) &&
  (wish.accounts.length === 0 || accounts.some((account) => wish.accounts.includes(account))) &&
  (wish.payload === undefined || (payload[wish.payload.field] === wish.payload.text) === wish.payload.isEqual)

/** An event with its ledger's close time. */
export type TimedEvent = DetectedEvent & Pick<LedgerEvent, "timestamp">

export const wantsPast = (wish: PastWish, event: TimedEvent): boolean => {
  const closedMs = Date.parse(event.timestamp)
  const { sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = wish
  return wants(wish, event) && closedMs > sinceMs && closedMs < untilMs
}

const filterOf = ({ field, isEqual, text }: PayloadWish): PayloadFilter => ({
  [field]: isEqual ? text : { $ne: text }
})

/** The fields of a webhook. */
export const fieldsOf = ({ accounts, payload, types }: Wish) => ({
  event_types: types ?? ["*"],
  account_filters: accounts,
  payload_filter: payload === undefined ? null : filterOf(payload)
})

export const filtersOf = ({ accounts, payload, sinceMs, types, untilMs }: PastWish): ReplayFilters => ({
  ...(types === undefined ? {} : { event_types: types }),
  ...(accounts.length === 0 ? {} : { accounts }),
  ...(payload === undefined ? {} : { payload_filter: filterOf(payload) }),
  ...(sinceMs === undefined ? {} : { since: sinceMs }),
  ...(untilMs === undefined ? {} : { until: untilMs })
})
