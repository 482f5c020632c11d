/**
 * `LedgerSource` for a test network without servers: generates its ledgers in this process. It is part of the program,
 * because users run it: in the demo, and wherever a test network has no servers. It makes ledgers only while
 * the network has an active webhook, and only after ingest has taken the ledger before. So after a restart the chain
 * continues from the last ledger in the log, with new accounts.
 *
 *   wait until the last ledger is taken ─▶ wait for an active webhook ─▶ wait until the next is due ─▶ make a ledger
 */
import { Clock, Context, Effect, Latch, Layer, Random } from "effect"
import { unixMsToRipple } from "../../spine/event/Ledger.ts"
import {
  type Announcement,
  LedgerSource,
  LedgerSourceError,
  type TakenLedger
} from "../../spine/ledger/servers/LedgerSource.ts"
import type { ActiveWebhooks } from "../../spine/registry/ActiveWebhooks.ts"
import { monotonicNow } from "../../spine/words/Monotonic.ts"
import { asLedger, type Chain, type ClosedLedger, FIRST_LEDGER_INDEX, makeChain } from "./Chain.ts"

/** Transactions in each simulated ledger: all event types within two minutes, and about 180,000 events a day. */
const TRANSACTIONS = 4

/** Time between its ledgers: short, so that a new webhook gets its first event soon. */
export const CLOSE_MS = 2_000

/** Set by the demo: ledgers are closed on demand. Without it they are closed every `CLOSE_MS`. */
export interface ManualClosing {
  readonly seed: number
  readonly transactionsPerLedger: number
  /** Waits until the next ledger is wanted. */
  readonly wanted: Effect.Effect<unknown>
  /** Called with each ledger before it is fetched. The first ledger of a chain is empty. */
  readonly closed: (ledger: ClosedLedger) => Effect.Effect<unknown>
}

export const ManualClosing = Context.Reference<ManualClosing | undefined>(
  "ledgerhook/simulator/ManualClosing",
  {
    defaultValue: () => undefined
  }
)

const SERVER = "simulated ledger"
const SEEDS = 2 ** 32

const announcementOf = ({ header, transactions }: ClosedLedger): Announcement => ({
  ledgerIndex: header.ledger_index,
  ledgerHash: header.ledger_hash,
  transactionCount: transactions.length
})

const make = (webhooks: ActiveWebhooks, manual: ManualClosing | undefined): LedgerSource["Service"] => {
  let taken: TakenLedger | undefined
  let chain: Chain | undefined
  /** When the head was closed, on the monotonic clock. */
  let headAt: number | undefined
  /** Opened and replaced when a ledger has been taken. */
  let progress = Latch.makeUnsafe()

  const head = () => chain?.head()
  const isTaken = () => chain === undefined || head()?.header.ledger_hash === taken?.ledgerHash

  const begin = (now: number, seed: number) =>
    makeChain({
      seed: manual?.seed ?? seed,
      firstLedgerIndex: taken === undefined ? FIRST_LEDGER_INDEX : taken.ledgerIndex + 1,
      parent: taken,
      firstCloseTime: unixMsToRipple(now),
      transactionsPerLedger: manual?.transactionsPerLedger ?? TRANSACTIONS,
      hashing: "binary"
    })

  const next = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (chain === undefined) chain = begin(now, yield* Random.nextIntBetween(0, SEEDS, { halfOpen: true }))
    else chain.close(unixMsToRipple(now))
    headAt = yield* monotonicNow
    if (manual !== undefined) yield* manual.closed(chain.head())
  })

  const awaitHead = Effect.fnUntraced(function* (index: number) {
    while (true) {
      const newest = head()
      if (newest !== undefined && newest.header.ledger_index >= index) return announcementOf(newest)
      if (!isTaken()) {
        yield* Latch.await(progress)
        continue
      }
      yield* webhooks.awaitAny
      if (manual !== undefined) {
        yield* Effect.andThen(manual.wanted, next)
        continue
      }
      const sinceMs = (yield* monotonicNow) - (headAt ?? Number.NEGATIVE_INFINITY)
      if (sinceMs >= CLOSE_MS) yield* next
      // After the sleep, check again whether there is an active webhook.
      else yield* Effect.sleep(CLOSE_MS - sinceMs)
    }
  })

  return {
    simulated: true,
    awaitHead,
    awaitNews: () => Effect.never,
    announced: (index) => {
      const newest = head()
      return newest?.header.ledger_index === index ? announcementOf(newest) : undefined
    },
    fetch: Effect.fnUntraced(function* (index, accept) {
      const newest = head()
      if (newest?.header.ledger_index !== index)
        return yield* new LedgerSourceError({
          server: SERVER,
          reason: "not_found",
          detail: `ledger ${index} is not the newest`
        })
      const fetched = { server: SERVER, validated: true, ledger: asLedger(newest), malformed: 0 }
      const fault = accept(fetched)
      return fault === undefined ? fetched : yield* new LedgerSourceError({ server: SERVER, ...fault })
    }),
    anchor: (ledger) =>
      Effect.sync(() => {
        taken = ledger
        const { ledger_hash, parent_hash } = head()?.header ?? {}
        // The ledger is of an earlier process: the next chain continues from it.
        if (ledger.ledgerHash !== ledger_hash && ledger.ledgerHash !== parent_hash) chain = undefined
        const waiting = progress
        progress = Latch.makeUnsafe()
        waiting.openUnsafe()
      }),
    state: Effect.sync(() => {
      const newest = head()
      return {
        server: SERVER,
        lastError: undefined,
        head: newest === undefined ? undefined : announcementOf(newest),
        headAt,
        servers: [],
        idle: isTaken() && !webhooks.any() ? "no active webhook" : undefined
      }
    })
  }
}

export const layer = (webhooks: ActiveWebhooks): Layer.Layer<LedgerSource> =>
  Layer.effect(
    LedgerSource,
    Effect.map(ManualClosing, (manual) => make(webhooks, manual))
  )
