/**
 * `ledgerhook ledger skip`: orders that a ledger which no server can list is skipped. The order is a row in the
 * database, which ingest and history look up, so the service may be running or not. It is refused for a ledger that
 * nothing will fetch any more, and for one that is not closed yet.
 */

import { Clock, Effect, Layer, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import type { BackfillRange } from "../../spine/domain/Backfill.ts"
import type { Network } from "../../spine/event/Network.ts"
import { logReaderLayer } from "../../spine/LogAdapter.ts"
import { BackfillStore } from "../../spine/ledger/backfill/BackfillStore.ts"
import { LogReader } from "../../spine/log/Log.ts"
import { type LedgerRange, ledgerRanges } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { failed, wrongUsage } from "../../terminal/Failure.ts"
import { lineFlag, optional, switchFlag } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { settings } from "../../terminal/Invocation.ts"
import { LEDGER_INDEX_MAX, network } from "../../terminal/LedgerFlags.ts"
import { print } from "../../terminal/Output.ts"
import { stores } from "../accounts/command/AccountStores.ts"
import { SkippedLedgers } from "../events/SkipOrders.ts"

/** Characters of the reason. */
const REASON_CHARACTERS = 200

export interface Taken {
  /** Oldest first, without simulated ledgers. */
  readonly ranges: ReadonlyArray<LedgerRange>
  readonly history: ReadonlyArray<BackfillRange>
}

/** Why an order for the ledger would have no effect, as the end of a sentence. Pure. */
export const uselessOrder = (
  index: number,
  { history, ranges }: Taken,
  nowMs: number
): string | undefined => {
  const isTaken =
    ranges.some(
      ({ first, last }) => first.marker.ledger_index <= index && index <= last.marker.ledger_index
    ) || history.some(({ firstLedger, lastLedger }) => firstLedger <= index && index <= lastLedger)
  if (isTaken) return "was taken already"
  const newest = ranges.at(-1)?.last.marker
  if (newest === undefined || index < ranges[0]!.first.marker.ledger_index) return undefined
  if (index < newest.ledger_index) return "is between ledgers that were taken, so nothing fetches it"
  // Close times of successive ledgers differ by a second or more.
  const closedSince = (nowMs - Date.parse(newest.close_time)) / 1_000
  return index > newest.ledger_index + 1 + closedSince
    ? `is not closed yet: ledger ${newest.ledger_index} is the newest that was taken`
    : undefined
}

const takenLedgers = Effect.fnUntraced(function* (of: Network) {
  const log = yield* LogReader
  const ranges = yield* ledgerRanges(log, of)
  return {
    ranges: ranges.filter(({ first }) => first.marker.simulated !== true),
    history: yield* (yield* BackfillStore).ranges(of)
  } satisfies Taken
})

const skipStores = (() => {
  const database = stores("ledger skip")
  return Layer.mergeAll(logReaderLayer(database), BackfillStore.layer, SkippedLedgers.layer).pipe(
    Layer.provideMerge(database),
    Layer.provideMerge(settings)
  )
})()

const requireServers = Effect.fnUntraced(function* (of: Network) {
  const { networks } = yield* Settings
  if (!networks.some((one) => one.network === of))
    return yield* wrongUsage(
      `XRPL_${of.toUpperCase()}_URLS: no server of ${of} is configured, so there is no ledger of it to skip.`
    )
})

const order = Effect.fnUntraced(function* (of: Network, index: number, reason: string) {
  const name = `ledger ${index} of ${of}`
  const now = yield* Clock.currentTimeMillis
  const skipped = yield* SkippedLedgers
  if ((yield* skipped.list(of)).some(({ ledger_index }) => ledger_index === index))
    return yield* failed(`${name} was skipped already; GET /v1/ledgers/coverage shows it.`)
  const useless = uselessOrder(index, yield* takenLedgers(of), now)
  if (useless !== undefined) return yield* failed(`${name} ${useless}.`)
  if ((yield* skipped.order(of, index, reason, now)) === "too many")
    return yield* failed(
      `there are ${Limits.skipOrders} orders to skip ledgers of ${of}, which is the limit.`
    )
  yield* print(
    `${name} will be skipped once no server sends it with all its transactions. Its events will be missing for ever. Withdraw the order with --withdraw until then.`
  )
})

const index = Argument.String("index").pipe(
  Argument.withDescription("The ledger's index"),
  Argument.filterMap(
    (text) => {
      const number = /^\d{1,10}$/.test(text) ? Number(text) : 0
      return number >= 1 && number <= LEDGER_INDEX_MAX ? Option.some(number) : Option.none()
    },
    () => `a ledger index from 1 to ${LEDGER_INDEX_MAX}`
  )
)

const reason = lineFlag("reason", "Why, for those who find the hole later", REASON_CHARACTERS).pipe(optional)

export const skip = Command.make(
  "skip",
  {
    index,
    network,
    reason,
    withdraw: switchFlag("withdraw", "Withdraw the order, if the ledger was not skipped yet")
  },
  Effect.fnUntraced(function* ({ index: ledgerIndex, network: of, reason: given, withdraw }) {
    yield* requireServers(of)
    if (withdraw) {
      if (!(yield* (yield* SkippedLedgers).withdraw(of, ledgerIndex)))
        return yield* failed(`there is no order for ledger ${ledgerIndex} of ${of} that can be withdrawn.`)
      return yield* print(`ledger ${ledgerIndex} of ${of} will not be skipped.`)
    }
    if (given === undefined) return yield* wrongUsage("--reason is missing: say why the ledger is skipped.")
    yield* order(of, ledgerIndex, given)
  }, Effect.provide(skipStores))
).pipe(
  about(
    "Skip a ledger that no server can list",
    'Order that a ledger is skipped if no server sends it with all its transactions: the one at which ingest waits, or one that a replay of history will need. Nothing is skipped without an order, and a ledger that a server does send is taken in spite of it. The hole, with its reason, is shown for ever by GET /v1/ledgers/coverage, `ledger verify`, `events export`, replay jobs and /readyz. The service may be running. See "A ledger that no server can list" in docs/operations.md.',
    {
      "ledgerhook ledger skip 562177 --network mainnet --reason 'no server lists its transactions'":
        "Before a replay of history over this ledger",
      "ledgerhook ledger skip 562177 --network mainnet --withdraw": "Withdraw the order"
    }
  )
)
