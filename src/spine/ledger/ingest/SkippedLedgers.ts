/**
 * Ledgers that an operator ordered to skip, because no server can list their transactions (docs/operations.md). An order
 * is only a permission: a ledger that a server sends whole is taken. A skipped ledger has a marker with its own hash,
 * so the chain of hashes stays unbroken. No ledger is skipped without an order.
 */
import { Effect, Result } from "effect"
import type { LedgerMarker } from "../../event/LedgerEvent.ts"
import { checkLedger } from "../servers/LedgerCheck.ts"
import type { FetchedLedger, LedgerSource } from "../servers/LedgerSource.ts"

/**
 * After so many rounds over all servers, about 7 s, a ledger counts as one that none of them has: fetching of history
 * fails, and an operator's order to skip the ledger is obeyed. An order for a wrong ledger does not skip one that is
 * only late.
 */
export const ROUNDS = 3

/** The operator's orders, as ingest and history see them. */
export interface SkipOrders {
  /** The reason that the operator gave; undefined if the ledger must not be skipped. */
  readonly reason: (ledgerIndex: number) => Effect.Effect<string | undefined>
  /** Called once the marker is in the log; after a crash it may be called again. */
  readonly skipped: (marker: LedgerMarker) => Effect.Effect<void>
  /** How many ledgers of the network were skipped so far. Undefined: it cannot be read now. */
  readonly count: Effect.Effect<number | undefined>
}

export const noSkips: SkipOrders = {
  reason: () => Effect.succeed(undefined),
  skipped: () => Effect.void,
  count: Effect.succeed(0)
}

/** The header of a ledger that has this hash and this parent, as far as they are known. */
export const fetchHeader = (
  source: LedgerSource["Service"],
  index: number,
  hash: string | undefined,
  parentHash?: string
) =>
  source.fetch(
    index,
    (fetched) =>
      checkLedger(fetched, {
        index,
        part: "header",
        parentHash,
        announcedHash: hash ?? source.announced(index, fetched.server)?.ledgerHash
      }),
    "header"
  )

/** The ledger without its transactions. Only the header is used: a server may list some of them. */
export const asSkipped = (fetched: FetchedLedger, reason: string): FetchedLedger => ({
  ...fetched,
  ledger: { ...fetched.ledger, transactions: [] },
  skipped: reason
})

/**
 * The header of the ledger, whose hash the next ledger must name. If no server has the header, hash and close time are
 * those that the next ledger names; its own parent is then unknown. Undefined: neither is there, or the ledger is not
 * the child of the one before and the parent of the one after.
 */
export const skippedLedger = Effect.fnUntraced(function* (
  source: LedgerSource["Service"],
  index: number,
  parentHash: string | undefined,
  reason: string
) {
  const next = yield* Effect.result(fetchHeader(source, index + 1, undefined))
  const child = Result.isSuccess(next) ? next.success.ledger : undefined
  const own = yield* Effect.result(fetchHeader(source, index, child?.parent_hash, parentHash))
  if (Result.isSuccess(own)) return asSkipped(own.success, reason)
  const contradicts = own.failure.reason === "wrong_hash" || own.failure.reason === "broken_chain"
  if (child === undefined || contradicts) return undefined
  return {
    server: own.failure.server,
    validated: true,
    ledger: {
      ledger_index: index,
      ledger_hash: child.parent_hash,
      parent_hash: undefined,
      close_time: child.parent_close_time,
      parent_close_time: undefined,
      transactions: []
    },
    malformed: 0,
    skipped: reason
  } satisfies FetchedLedger
})
