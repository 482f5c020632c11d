/** Ledgers as the bytes that a server keeps, and back. */
import { encode } from "xrpl"
import { detectLedger } from "../../src/detect/Detect.ts"
import type { JsonObject, Ledger, LedgerTransaction } from "../../src/domain/Ledger.ts"
import { transactionOf } from "../../src/ledger/BinaryForm.ts"

/** As the ledger keeps it; the codec leaves out what only the API has, and its type knows fewer fields than it. */
const blobOf = (object: JsonObject): string => encode(object as never)

const asSigned = ({ DeliverMax, ...tx }: JsonObject): JsonObject =>
  DeliverMax === undefined ? tx : { Amount: DeliverMax, ...tx }

export const throughBytes = ({ meta, tx }: LedgerTransaction): LedgerTransaction =>
  transactionOf({ tx: blobOf(asSigned(tx)), meta: blobOf(meta) })

export const eventsOf = (ledger: Ledger): string => JSON.stringify(detectLedger(ledger))
