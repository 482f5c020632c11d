/**
 * Shared by the commands that read and change stored data of accounts: the migrated database of the settings, which a
 * running service may be using, with the stores of this feature; the error for a missing account.
 */
import { Effect, Layer, Option } from "effect"
import * as Sql from "../../../spine/store/Sql.ts"
import { failed } from "../../../terminal/Failure.ts"
import { settings } from "../../../terminal/Invocation.ts"
import { requireDatabase } from "../../../terminal/Stores.ts"
import { AccountStore } from "../AccountStore.ts"
import { ApiKeyStore } from "../ApiKeyStore.ts"
import { SessionStore } from "../SessionStore.ts"

/** `command` is shown to other processes that want the same embedded PostgreSQL. */
const onDatabase = (command: string) =>
  Layer.merge(AccountStore.layer, SessionStore.layer).pipe(
    Layer.provideMerge(ApiKeyStore.layer),
    Layer.provideMerge(Sql.layer({ command: `ledgerhook ${command}`, owner: false }))
  )

/** For commands that need an existing database. */
export const stores = (command: string) =>
  Layer.unwrap(Effect.as(requireDatabase, onDatabase(command))).pipe(Layer.provide(settings))

/** For commands that may run before the first start: they create the database if there is none. */
export const newStores = (command: string) => Layer.provide(onDatabase(command), settings)

export const noAccount = (id: string) =>
  failed(`there is no account ${id}; \`ledgerhook account list\` shows them.`)

/** Fails with a hint if the account does not exist. */
export const findAccount = Effect.fnUntraced(function* (id: string) {
  const found = yield* (yield* AccountStore).find(id)
  return Option.isSome(found) ? found.value : yield* noAccount(id)
})
