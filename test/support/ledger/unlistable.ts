/** Ledgers whose transactions no server can list, as mainnet has a few, and orders to skip them. */
import { Effect } from "effect"
import type { LedgerMarker } from "../../../src/spine/event/LedgerEvent.ts"
import type { SkipOrders } from "../../../src/spine/ledger/ingest/SkippedLedgers.ts"
import type { Answer, Interference } from "./rippledServer.ts"

/** `lacking`: the server lists some transactions; `failing`: an error; `gone`: an error also for the header. */
export type Unlistable = "lacking" | "failing" | "gone"

interface ListedLedger {
  readonly transactions?: ReadonlyArray<{ readonly meta: { readonly TransactionIndex: number } }>
}

const withoutFirst = (answer: Answer): Answer => {
  // The cast is safe: `rippledServer` answers `ledger` in this form.
  const ledger = answer.result?.["ledger"] as ListedLedger
  const transactions = ledger.transactions?.filter(({ meta }) => meta.TransactionIndex !== 0)
  return { ...answer, result: { ...answer.result, ledger: { ...ledger, transactions } } }
}

/** For a server that cannot list these ledgers. The map may change later. */
export const unlistable =
  (ledgers: ReadonlyMap<number, Unlistable>): Interference =>
  (request, answer) => {
    const kind = ledgers.get(Number(/^ledger (\d+)$/.exec(request)?.[1]))
    const ledger = answer.result?.["ledger"]
    if (kind === undefined || ledger === undefined) return answer
    const isWhole = typeof ledger === "object" && ledger !== null && "transactions" in ledger
    if (kind === "gone" || (kind === "failing" && isWhole)) return { error: "internal", error_code: 73 }
    return kind === "lacking" && isWhole ? withoutFirst(answer) : answer
  }

/** Orders in memory, and the indexes of the ledgers of which was noted that they are skipped. */
export const orders = (reasons: ReadonlyMap<number, string>) => {
  const noted: Array<number> = []
  const skips: SkipOrders = {
    reason: (index) => Effect.sync(() => reasons.get(index)),
    skipped: ({ ledger_index }: LedgerMarker) => Effect.sync(() => void noted.push(ledger_index)),
    count: Effect.sync(() => new Set(noted).size)
  }
  return { noted, skips }
}
