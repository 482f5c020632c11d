/** Commands that check ledgers and the log, without a service. */
import { command, makeFeature } from "../Feature.ts"
import { conformance } from "./conformance/Conformance.ts"
import { ledger } from "./LedgerCommand.ts"

export const feature = makeFeature({
  name: "ledgerTools",
  commands: [command(190, ledger), command(200, conformance)]
})
