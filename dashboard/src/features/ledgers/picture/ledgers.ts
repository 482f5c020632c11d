/** The ledgers that the page keeps, and which of them the picture shows. Pure. */
import type { LedgerActivity, LedgerWebhook } from "../../../api/ledgerhook.ts"
import { byFamily, families, sumOf } from "./families.ts"

/** What one webhook wanted of a ledger, and what it answered. */
export type WebhookActivity = LedgerWebhook

/** A message of the stream. The same ledger comes again while its answers come in. */
export type Ledger = LedgerActivity

/** The columns of the picture, where they have room. */
export const SHOWN_LEDGERS = 32

/** With the one that has just left the picture, so that it is seen to leave. */
export const SEEN_LEDGERS = SHOWN_LEDGERS + 1

/** About 10 minutes of a network that closes a ledger every 3.9 seconds: what the slider of a paused picture covers. */
export const KEPT_LEDGERS = 160

/** The kept ledgers of each network, oldest first. */
export type Kept = Readonly<Record<string, ReadonlyArray<Ledger>>>

/** The newest message about a ledger replaces earlier ones. Ledgers beyond `KEPT_LEDGERS` are forgotten, oldest first. */
export const merged = (kept: Kept, news: ReadonlyArray<Ledger>): Kept => {
  const next: Record<string, ReadonlyArray<Ledger>> = { ...kept }
  for (const [network, ledgers] of Map.groupBy(news, (ledger) => ledger.network)) {
    const byIndex = new Map([...(kept[network] ?? []), ...ledgers].map((one) => [one.ledger_index, one]))
    next[network] = [...byIndex.values()]
      .sort((one, other) => one.ledger_index - other.ledger_index)
      .slice(-KEPT_LEDGERS)
  }
  return next
}

/** The network whose ledger closed last. */
export const newestNetwork = (kept: Kept): string | undefined =>
  Object.entries(kept)
    .flatMap(([network, ledgers]) => ledgers.slice(-1).map(({ closed_at }) => ({ network, closed_at })))
    .sort((one, other) => Date.parse(other.closed_at) - Date.parse(one.closed_at))[0]?.network

export const eventsIn = ({ events }: Pick<Ledger, "events">): number => sumOf(byFamily(events))

/** The events of all ledgers by family. */
export const totalsOf = (ledgers: ReadonlyArray<Ledger>): ReadonlyArray<number> =>
  ledgers
    .map(({ events }) => byFamily(events))
    .reduce(
      (sums, counts) => sums.map((sum, family) => sum + counts[family]!),
      families.map(() => 0)
    )

/** Events a second between the first and the last close; undefined if that is no time. */
export const rateOf = (ledgers: ReadonlyArray<Ledger>): number | undefined => {
  const [first, last] = [ledgers[0], ledgers.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const seconds = (Date.parse(last.closed_at) - Date.parse(first.closed_at)) / 1_000
  return seconds > 0 ? sumOf(ledgers.slice(1).map(eventsIn)) / seconds : undefined
}

/** The first place at which the picture may end: it is full if enough ledgers are kept. */
export const leastEnd = (kept: ReadonlyArray<Ledger>, columns: number): number =>
  kept.length > columns ? columns - 1 : 0

/** The `columns` ledgers that end with the ledger `last`, or with the one before it if it is not kept. */
export const windowOf = (
  kept: ReadonlyArray<Ledger>,
  columns: number,
  last = Number.POSITIVE_INFINITY
): ReadonlyArray<Ledger> => {
  const after = kept.findIndex(({ ledger_index }) => ledger_index > last)
  const end = after === -1 ? kept.length : Math.max(after, leastEnd(kept, columns) + 1)
  return kept.slice(Math.max(end - columns, 0), end)
}
