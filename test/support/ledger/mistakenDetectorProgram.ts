/** A detector with the mistake that its argument names, as `ledgerhook conformance` runs it. */
import { createInterface } from "node:readline"
import { normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { mistakes } from "./mistakes.ts"

const detect = mistakes[process.argv[2]!]!
for await (const line of createInterface({ input: process.stdin })) {
  const { id, ledger, network } = JSON.parse(line)
  process.stdout.write(`${JSON.stringify({ id, ...detect(normaliseLedger(ledger)!.ledger, network) })}\n`)
}
