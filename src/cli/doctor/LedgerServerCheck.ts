/** `doctor` checks a ledger server: whether it can be reached, is of the right network, and which ledgers it has. */
import { Effect, Ref } from "effect"
import type { Network } from "../../domain/Network.ts"
import { formatRanges, type Ranges } from "../../ledger/Ranges.ts"
import { Fault, finding } from "./Finding.ts"

export const ledgerServerCheck = (network: Network, url: string, role: "feed" | "history") => {
  const variable = `XRPL_${network.toUpperCase()}_${role === "feed" ? "" : "HISTORY_"}URLS`
  const fix = `Check the URL and your firewall, or set ${variable} to another server.`
  const connected = Effect.gen(function* () {
    // Loaded when needed: the ledger's client library is large.
    const { connect } = yield* Effect.promise(() => import("../../ledger/ServerConnection.ts"))
    const newest = yield* Ref.make<number | undefined>(undefined)
    let claimed: Ranges | undefined
    yield* connect({
      network,
      url,
      announce: ({ ledgerIndex }) => Ref.set(newest, ledgerIndex),
      claim: (ranges) => {
        claimed = ranges
      }
    })
    const index = yield* Ref.get(newest)
    if (role === "history" && claimed !== undefined) return `reachable, with ledgers ${formatRanges(claimed)}`
    return index === undefined
      ? "reachable, but it has not announced a validated ledger yet"
      : `reachable, at ledger ${index}`
  }).pipe(
    Effect.scoped,
    Effect.mapError(({ reason, detail }) => {
      if (reason === "wrong_network")
        return new Fault({
          detail,
          fix: `Move this server to the setting of its own network, or remove it from ${variable}.`
        })
      // A TLS handshake that fails has passed every firewall.
      const isTls = detail.startsWith("TLS:")
      return new Fault({ detail, fix: isTls ? `Correct the URL or set ${variable} to another server.` : fix })
    })
  )
  return finding(`${network}${role === "feed" ? "" : " history"} ${new URL(url).host}`, fix, connected)
}
