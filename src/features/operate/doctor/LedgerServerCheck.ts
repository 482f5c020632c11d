/**
 * `doctor` checks a ledger server: whether it can be reached, is of the right network and chain, and which ledgers it
 * has. A server of ingest is also asked for the next ledger that ingest will take.
 */
import { Deferred, Effect } from "effect"
import { Limits } from "../../../spine/config/Limits.ts"
import type { Network } from "../../../spine/event/Network.ts"
import type { LedgerSourceError } from "../../../spine/ledger/servers/LedgerSource.ts"
import { formatRanges, type Ranges } from "../../../spine/ledger/servers/Ranges.ts"
import { Fault, finding } from "./Finding.ts"
import { type NextLedger, resetFix, type ServerReport } from "./NextLedger.ts"

/** How long a server that is a few ledgers behind may take to catch up. A ledger closes every 3 to 4 s. */
const HEAD_MS = 4_000

/** Loaded when needed: the ledger's client library is large. */
const modules = Effect.promise(() =>
  Promise.all([
    import("../../../spine/ledger/servers/ServerConnection.ts"),
    import("../../../spine/ledger/servers/LedgerCheck.ts"),
    import("../../../spine/ledger/servers/LedgerSource.ts")
  ])
)

/** Reports on one server; fails with the reason if it cannot be used. */
const examine = Effect.fnUntraced(function* (
  network: Network,
  url: string,
  verify: "json" | "full",
  { index, last }: NextLedger
) {
  const [{ connect }, { checkLedger }, { takenLedger, LedgerSourceError }] = yield* modules
  const server = new URL(url).host
  const isAtHead = yield* Deferred.make<void>()
  let head: number | undefined
  let claimed: Ranges | undefined
  const connection = yield* connect({
    network,
    url,
    verify,
    anchor: last === undefined ? undefined : takenLedger(last),
    announce: ({ ledgerIndex }) => {
      head = ledgerIndex
      return index === undefined || head >= index - 1 ? Deferred.succeed(isAtHead, undefined) : Effect.void
    },
    claim: (ranges) => {
      claimed = ranges
    }
  })
  // The servers behind one address differ by a ledger or two.
  if (index !== undefined && head !== undefined && head < index - 1 && head >= index - Limits.ledgerNearHead)
    yield* Effect.raceFirst(connection.run, Deferred.await(isAtHead)).pipe(Effect.timeoutOption(HEAD_MS))
  const ask = (next: number) =>
    connection.ledger(next).pipe(
      Effect.flatMap((fetched) => {
        const fault = checkLedger(fetched, { index: next, parentHash: last?.ledger_hash })
        return fault === undefined
          ? Effect.succeed("given" as const)
          : Effect.fail(new LedgerSourceError({ server, ...fault }))
      }),
      Effect.catch((error: LedgerSourceError) => Effect.succeed(error))
    )
  const next = index === undefined || head === undefined || head < index ? undefined : yield* ask(index)
  return { server, head, claimed: claimed && formatRanges(claimed), next } satisfies ServerReport
}, Effect.scoped)

const NOTHING: NextLedger = { last: undefined, index: undefined }

/** `next`: the ledger to ask for; undefined for a server of history. The report is undefined if the check failed. */
export const ledgerServerCheck = Effect.fnUntraced(function* (
  network: Network,
  url: string,
  verify: "json" | "full",
  next: NextLedger | undefined
) {
  const variable = `XRPL_${network.toUpperCase()}_${next === undefined ? "HISTORY_" : ""}URLS`
  const another = `set ${variable} to another server.`
  const fixOf = ({ reason, detail }: LedgerSourceError): string => {
    if (reason === "wrong_network")
      return `Move this server to the setting of its own network, or remove it from ${variable}.`
    if (reason === "other_chain") return `${resetFix(network)} Otherwise ${another}`
    // A TLS handshake that fails has passed every firewall.
    return detail.startsWith("TLS:")
      ? `Correct the URL or ${another}`
      : `Check the URL and your firewall, or ${another}`
  }
  let report: ServerReport | undefined
  const examined = examine(network, url, verify, next ?? NOTHING).pipe(
    Effect.mapError((error) => new Fault({ detail: error.detail, fix: fixOf(error) })),
    Effect.map((found) => {
      report = found
      if (next === undefined && found.claimed !== undefined) return `reachable, with ledgers ${found.claimed}`
      return found.head === undefined
        ? "reachable, but it has not announced a validated ledger yet"
        : `reachable, at ledger ${found.head}`
    })
  )
  const result = yield* finding(
    `${network}${next === undefined ? " history" : ""} ${new URL(url).host}`,
    `Check the URL and your firewall, or ${another}`,
    examined
  )
  return { finding: result, report }
})
