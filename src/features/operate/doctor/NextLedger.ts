/**
 * `doctor` judges whether ingest can take the next ledger of a network: the one after the last taken ledger, or the
 * first one of the settings. Its input is what each server answered (LedgerServerCheck.ts). Pure.
 */
import type { NetworkSettings } from "../../../spine/config/Config.ts"
import type { LedgerMarker } from "../../../spine/event/LedgerEvent.ts"
import type { Network } from "../../../spine/event/Network.ts"
import { belowSentence } from "../../../spine/ledger/ingest/NetworkFacts.ts"
import type { LedgerSourceError } from "../../../spine/ledger/servers/LedgerSource.ts"
import { type Finding, fine } from "./Finding.ts"

export interface NextLedger {
  /** Undefined: nothing was taken yet. */
  readonly last: LedgerMarker | undefined
  /** Undefined: the newest ledger of the servers. */
  readonly index: number | undefined
}

/** What a server that could be reached says about the next ledger. */
export interface ServerReport {
  readonly server: string
  /** The newest ledger that it announced. */
  readonly head: number | undefined
  /** The ranges of ledgers that it claims to have. */
  readonly claimed: string | undefined
  /** `given`: it sent the ledger, and every check passed. Undefined: it was not asked. */
  readonly next: "given" | LedgerSourceError | undefined
}

export const nextLedger = (last: LedgerMarker | undefined, start: NetworkSettings["start"]): NextLedger => {
  // Servers have another chain than the simulated ledger, so ingest starts a new one.
  if (last !== undefined && last.simulated !== true) return { last, index: last.ledger_index + 1 }
  return { last: undefined, index: start === "latest" ? undefined : start }
}

export const resetFix = (network: Network): string =>
  `If the test network was reset, run \`ledgerhook ledger new-chain --network ${network}\` and restart the process with the role ingest ("A test network was reset" in docs/operations.md).`

const said = ({ claimed, next, server }: ServerReport): ReadonlyArray<string> =>
  typeof next === "object"
    ? [`${server}: ${next.detail}${claimed === undefined ? "" : ` (it claims to have ${claimed})`}`]
    : []

/** Undefined if no server was reached: the findings of the servers say why. */
export const nextLedgerFinding = (
  { network, start }: Pick<NetworkSettings, "network" | "start">,
  { index, last }: NextLedger,
  reports: ReadonlyArray<ServerReport>
): Finding | undefined => {
  if (reports.length === 0) return undefined
  const check = `${network} next ledger`
  const variable = (name: string) => `XRPL_${network.toUpperCase()}_${name}`
  const problem = (detail: string, fix: string): Finding => ({ check, status: "problem", detail, fix })
  const heads = reports.flatMap(({ head }) => head ?? [])
  if (heads.length === 0)
    return problem(
      "no server has announced a validated ledger yet",
      "Wait until one is synchronised, or add another."
    )
  if (index === undefined) return fine(check, "nothing was taken yet; ingest starts with the newest ledger")
  const giver = reports.find(({ next }) => next === "given")
  if (giver !== undefined) return fine(check, `ledger ${index} can be taken from ${giver.server}`)
  const head = Math.max(...heads)
  if (head === index - 1 && last !== undefined)
    return fine(check, `ledger ${last.ledger_index} was taken and is the newest`)
  if (head < index)
    return last === undefined
      ? problem(
          `${variable("START")} is ledger ${index}, but the servers are only at ledger ${head}`,
          `Set ${variable("START")} to latest or to a ledger that a server has.`
        )
      : problem(
          belowSentence(heads, last.ledger_index),
          `${resetFix(network)} If the servers lag, wait, or set ${variable("URLS")} to others.`
        )
  const faults = reports.flatMap(said)
  const isAbsent = reports.every(({ next }) => typeof next !== "object" || next.reason === "not_found")
  const isOtherChain = reports.some(({ next }) => typeof next === "object" && next.reason === "broken_chain")
  return problem(
    `ledger ${index} is the next to take, but no server sends it; ${faults.join("; ")}`,
    isOtherChain
      ? resetFix(network)
      : isAbsent
        ? `Add a server that has it to ${variable("URLS")}${last === undefined && start !== "latest" ? `, or set ${variable("START")} to a ledger that a server has` : ""}.`
        : `Add another server to ${variable("URLS")}. If no server can send this ledger, see "A ledger that no server can list" in docs/operations.md.`
  )
}
