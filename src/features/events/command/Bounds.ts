/**
 * The range of an export: `--from` and `--to` as a ledger index or a close time, and the ledgers that they mean. A time
 * at which the log has no ledger is reported, because ledgers of the range may then be missing.
 */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { Network } from "../../../spine/event/Network.ts"
import { parseIsoTime } from "../../../spine/words/IsoTime.ts"
import { failed, wrongUsage } from "../../../terminal/Failure.ts"
import { LEDGER_INDEX_MAX } from "../../../terminal/LedgerFlags.ts"
import { type Interval, ledgersIn, without } from "./Coverage.ts"
import { firstClosedAt, type Piece } from "./Sources.ts"

export type Bound =
  | { readonly _tag: "Ledger"; readonly index: number }
  /** Unix milliseconds. */
  | { readonly _tag: "Time"; readonly ms: number }

export const parseBound = (text: string): Bound | undefined => {
  if (/^\d{1,10}$/.test(text)) {
    const index = Number(text)
    return index >= 1 && index <= LEDGER_INDEX_MAX ? { _tag: "Ledger", index } : undefined
  }
  const ms = parseIsoTime(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  return ms === undefined ? undefined : { _tag: "Time", ms }
}

export const boundFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("TIME|LEDGER"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => Option.fromNullishOr(parseBound(text)),
      () =>
        `a ledger index from 1 to ${LEDGER_INDEX_MAX}, a UTC day such as 2026-11-21, or an ISO 8601 date-time with an offset such as 2026-11-21T09:30:00Z`
    )
  )

/** Ledgers of the range that the export does not have. An open end is a ledger that nobody knows. */
export interface Missing {
  readonly first_ledger: number | null
  readonly last_ledger: number | null
  readonly reason: string
}

export const droppedLedgers = ({ first, last }: Interval): Missing => ({
  first_ledger: first,
  last_ledger: last,
  reason: "the log no longer keeps their events"
})

export interface Resolved extends Interval {
  readonly missing: ReadonlyArray<Missing>
}

const NOT_HELD = "the log does not contain them"

/** The ledgers of the range that the log contains, at least one, are among `first` to `last`. */
export const resolve = Effect.fnUntraced(function* (
  network: Network,
  pieces: ReadonlyArray<Piece>,
  from: Bound,
  to: Bound
) {
  const held = pieces.map(({ first, last }) => `${first} to ${last}`).join(", ")
  const newest = pieces.at(-1)?.last
  if (newest === undefined) return yield* failed(`the log contains no ledger of ${network}.`)
  const none = failed(`the log contains no ledger of this range; of ${network}, it contains ${held}.`)
  const missing: Array<Missing> = []
  const lastBefore = (index: number) => pieces.findLast((piece) => piece.last < index)?.last
  /** The ledgers between the one before the piece and `index` may be in the range, or may not. */
  const openBefore = (index: number) => {
    const before = lastBefore(index)
    missing.push({
      first_ledger: before === undefined ? null : before + 1,
      last_ledger: index - 1,
      reason: NOT_HELD
    })
  }

  let first: number
  if (from._tag === "Ledger") first = from.index
  else {
    const found = yield* firstClosedAt(pieces, from.ms)
    if (found === undefined) return yield* none
    first = found.index
    if (found.isFirst && first > 1) openBefore(first)
  }

  let last: number
  if (to._tag === "Ledger") last = to.index
  else {
    const found = yield* firstClosedAt(pieces, to.ms)
    last = found === undefined ? newest : (lastBefore(found.index) ?? 0)
    if (found === undefined)
      missing.push({ first_ledger: newest + 1, last_ledger: null, reason: "the log ends before --to" })
    else if (!found.isFirst) last = found.index - 1
    else if (found.index - 1 > last && last >= first) openBefore(found.index)
  }
  if (from._tag === "Ledger" && to._tag === "Ledger" && first > last)
    return yield* wrongUsage(`--from ${first} is after --to ${last}.`)
  if (from._tag === "Time" && to._tag === "Time" && from.ms >= to.ms)
    return yield* wrongUsage("--to must be later than --from; the ledgers that close at --to are left out.")
  const absent = without({ first, last }, pieces)
  if (first > last || ledgersIn(absent) === last - first + 1) return yield* none
  const gaps = absent.map((one) => ({
    first_ledger: one.first,
    last_ledger: one.last,
    reason: NOT_HELD
  }))
  return { first, last, missing: [...missing, ...gaps] } satisfies Resolved
})
