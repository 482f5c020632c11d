/** Contract of `/v1/transactions`: the recorded transactions of RAW_TRANSACTIONS. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { networkRules } from "../../http/CommonRules.ts"
import {
  CommonErrors,
  field,
  HASH_EXAMPLE,
  KeyRequired,
  scoped,
  Timestamp,
  TransactionHash
} from "../../http/ContractParts.ts"
import { NotFound } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { queryRules, RequestRules } from "../../http/RequestRules.ts"
import { networks } from "../../spine/event/Network.ts"

const object = Schema.Record(Schema.String, Schema.Json)

export const Transaction = Schema.Struct({
  network: field(Schema.Literals(networks), "The network of the transaction.", "mainnet"),
  ledger_index: field(Schema.Int, "The index of the validated ledger that contains it.", 94_084_608),
  ledger_hash: field(
    Schema.String,
    "The hash of that ledger.",
    "5A3E9C1B7D2F4860A1B3C5D7E9F02143658799ABCDEF0123456789ABCDEF0123"
  ),
  close_time: field(Timestamp, "When that ledger closed."),
  position: field(
    Schema.Int,
    "The transaction's place in its ledger, from 0: the TransactionIndex of its metadata.",
    12
  ),
  hash: field(Schema.String, "The transaction's hash.", HASH_EXAMPLE),
  tx_json: field(
    object,
    "The transaction, as version 2 of the XRP Ledger's API shows it: a payment has DeliverMax, which is the field Amount that was signed.",
    { TransactionType: "Payment", DeliverMax: "17310000" }
  ),
  meta: field(object, "What it changed, as a server of the network gave it.", {
    TransactionResult: "tesSUCCESS",
    TransactionIndex: 12
  }),
  validated: field(Schema.Literal(true), "Always true: the service takes validated ledgers only.", true)
}).annotate({
  identifier: "Transaction",
  description:
    "A transaction of a validated ledger with its metadata: the record of xrpl.<network>.transactions."
})

export class Transactions extends HttpApiGroup.make("transactions")
  .add(
    HttpApiEndpoint.get("get", "/:hash", {
      params: { hash: TransactionHash },
      query: {
        network: Schema.optionalKey(
          field(
            Schema.Literals(networks),
            "The network: mainnet with live keys, testnet or devnet with test keys. See the operation for the default."
          )
        )
      },
      success: Transaction,
      error: NotFound
    })
      .annotate(RequestRules, queryRules(networkRules))
      .annotateMerge(
        scoped("events:read", {
          identifier: "getTransaction",
          summary: "Show a transaction",
          description:
            "Shows a recorded transaction with its metadata. The operator decides whether transactions are recorded (RAW_TRANSACTIONS) and for how long (RETENTION_TRANSACTIONS); for any other the answer is 404. A transaction appears about a second after its events. Without `network`, a test key searches testnet, then devnet."
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 100)
  .annotate(OpenApi.Description, "Transactions of validated ledgers, as the ledger has them.")
  .prefix("/v1/transactions") {}
