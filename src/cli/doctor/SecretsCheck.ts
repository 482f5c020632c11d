/** What `doctor` says of the stored webhook secrets: whether the keys given open them all. */
import { Effect, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { SettingsShape } from "../../config/Config.ts"
import { readKeys, type SecretsKeyError } from "../../storage/webhooks/SecretKeys.ts"
import { examineSecrets, type SecretsFound } from "../../storage/webhooks/SecretRotation.ts"
import type { Finding } from "./Finding.ts"

/** The keys cannot be read, or what they open. */
export type SecretsLook = Result.Result<SecretsFound, SecretsKeyError>

/** Undefined when there are no secrets to open: no webhooks, or a database that is not migrated that far. */
export const lookAtSecrets = Effect.fnUntraced(function* (
  settings: SettingsShape
): Effect.fn.Return<SecretsLook | undefined, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [migrated] = yield* sql`
    SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('webhooks') AND attname = 'previous_sealed_secret'`
  if (migrated === undefined) return undefined
  const [stored] = yield* sql`SELECT 1 FROM webhooks WHERE deleted_at IS NULL LIMIT 1`
  if (stored === undefined) return undefined
  const keys = readKeys(settings)
  return Result.isFailure(keys)
    ? Result.fail(keys.failure)
    : Result.succeed(yield* examineSecrets(keys.success))
})

export const secretsFinding = (look: SecretsLook): Finding => {
  const check = "secrets"
  const mend = "Give the key they were sealed with, as SECRETS_KEY or as SECRETS_KEY_PREVIOUS."
  if (Result.isFailure(look)) return { check, status: "problem", detail: look.failure.message, mend }
  const { webhooks, unreadable, ofPreviousKey } = look.success
  if (unreadable > 0) {
    return {
      check,
      status: "problem",
      detail: `the secrets of ${unreadable} of ${webhooks} webhooks cannot be opened`,
      mend
    }
  }
  return ofPreviousKey > 0
    ? {
        check,
        status: "warning",
        detail: `the secrets of ${ofPreviousKey} of ${webhooks} webhooks are sealed with a previous key`,
        mend: "Run `ledgerhook secrets rotate` when every process has the new key."
      }
    : { check, status: "ok", detail: `the secrets of all ${webhooks} webhooks open`, mend: "" }
}
