/**
 * Whether an effect runs for a request to the API. Its statements and transactions then use at most
 * `storeLimits.databaseRequestConnections` of the main pool (SqlPool.ts).
 */
import { Context } from "effect"

export class ForRequest extends Context.Reference<boolean>("ledgerhook/storage/ForRequest", {
  defaultValue: () => false
}) {}
