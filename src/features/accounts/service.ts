/** What a running service gets from the feature. */
import { Layer } from "effect"
import { makeService } from "../Feature.ts"
import { Account } from "./AccountContract.ts"
import { accountLayer } from "./AccountHandlers.ts"
import { AccountStore } from "./AccountStore.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"
import { ApiKeys } from "./ApiKeysContract.ts"
import { apiKeysLayer } from "./ApiKeysHandlers.ts"
import { forgetDeletedAccounts } from "./DeletedAccounts.ts"
import { SessionGroup } from "./SessionContract.ts"
import { sessionLayer } from "./SessionHandlers.ts"
import { forgetSessions, SessionStore } from "./SessionStore.ts"

export const service = makeService({
  api: {
    groups: [ApiKeys, Account, SessionGroup],
    handlers: Layer.mergeAll(apiKeysLayer, accountLayer, sessionLayer)
  },
  stores: Layer.merge(AccountStore.layer, SessionStore.layer).pipe(Layer.provideMerge(ApiKeyStore.layer)),
  upkeep: [forgetSessions, forgetDeletedAccounts]
})
