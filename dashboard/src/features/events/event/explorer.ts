/** Where the public explorer shows a transaction. Pure. */
import type { NetworkCoverage } from "../../../api/ledgerhook.ts"
import type { Network } from "../list/filters.ts"

const explorers: Record<Network, string> = {
  mainnet: "https://livenet.xrpl.org",
  testnet: "https://testnet.xrpl.org",
  devnet: "https://devnet.xrpl.org"
}

/** Whether the service simulated the ledger; undefined if that is not known. Mainnet is never simulated. */
export const simulatedIn = (
  coverage: ReadonlyArray<NetworkCoverage>,
  network: Network,
  ledgerIndex: number
): boolean | undefined =>
  network === "mainnet"
    ? false
    : coverage
        .find((one) => one.network === network)
        ?.ranges.find(
          ({ first, last }) => first.ledger_index <= ledgerIndex && ledgerIndex <= last.ledger_index
        )?.simulated

export const explorerOf = (network: Network, transaction: string): string =>
  `${explorers[network]}/transactions/${encodeURIComponent(transaction)}`
