/** `/v1/transactions`: reads a transaction's record from the log, where the index by hash says that it is. */

import { Effect, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { networkRules } from "../../http/CommonRules.ts"
import { Caller } from "../../http/ContractParts.ts"
import { NotFound } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { parseTransactionRecord, transactionsTopic } from "../../spine/event/TransactionRecord.ts"
import { Log } from "../../spine/log/Log.ts"
import { networksFor } from "./EventsHandlers.ts"
import { TransactionIndex } from "./TransactionIndex.ts"
import { Transactions } from "./TransactionsContract.ts"

const NOT_RECORDED =
  "This service does not record transactions; its operator can change that (RAW_TRANSACTIONS=true)."

export const transactionsLayer = HttpApiBuilder.group(
  contractOf(Transactions),
  "transactions",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const { rawTransactions } = settings
    const index = yield* TransactionIndex
    const log = yield* Log
    const reads = yield* Semaphore.make(Limits.heavyRequestsAtOnce)

    return handlers.handleAll({
      get: Effect.fnUntraced(function* ({ params, query }) {
        yield* checkRules(networkRules, query, settings)
        const networks = networksFor((yield* Caller).environment, query.network)
        if (!rawTransactions) return yield* NotFound.because(NOT_RECORDED)
        const hash = params.hash.toUpperCase()
        const places = yield* index.find(hash, networks)
        for (const network of networks)
          for (const { offset } of places.filter((place) => place.network === network)) {
            const position = { topic: transactionsTopic(network), partition: 0, offset }
            // A record of a later offset means that retention has dropped this one.
            const [record] = yield* reads.withPermit(log.read(position, 1))
            const found = record?.offset === offset ? parseTransactionRecord(record.value) : undefined
            if (found?.hash === hash) return found
          }
        return yield* NotFound.because(
          `There is no recorded transaction ${hash} of ${networks.join(" or ")}: it is unknown, older than the operator keeps transactions (RETENTION_TRANSACTIONS), or not indexed yet.`,
          { param: "hash" }
        )
      }, orUnavailable)
    })
  })
)
