/** Encodes ledgers to the bytes that a server stores, and decodes them. */
import { encode } from "xrpl"
import { detectLedger } from "../../src/detect/Detect.ts"
import type { JsonObject, Ledger, LedgerTransaction } from "../../src/domain/Ledger.ts"
import { transactionOf } from "../../src/ledger/BinaryForm.ts"

/** The bytes that the ledger stores. The codec omits fields that only the API has. Its type lists too few fields. */
const blobOf = (object: JsonObject): string => encode(object as never)

const asSigned = ({ DeliverMax, ...tx }: JsonObject): JsonObject =>
  DeliverMax === undefined ? tx : { Amount: DeliverMax, ...tx }

export const throughBytes = ({ meta, tx }: LedgerTransaction): LedgerTransaction =>
  transactionOf({ tx: blobOf(asSigned(tx)), meta: blobOf(meta) })

export const eventsOf = (ledger: Ledger): string => JSON.stringify(detectLedger(ledger))
