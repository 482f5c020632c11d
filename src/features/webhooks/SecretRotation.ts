/**
 * Seals stored secrets of webhooks and of URLs for notices again with the current key. Each batch is one transaction, with the records that tell
 * route and deliver. It may run beside a service: rows are locked while they are sealed again, and the secrets stay
 * the same. It may be repeated: only rows that another key has sealed are changed.
 */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { configRecord, WEBHOOK_COLUMNS, type WebhookRow } from "../../spine/registry/WebhookRow.ts"
import { afterDeadlock } from "../../spine/store/AfterDeadlock.ts"
import { column } from "../../spine/store/Columns.ts"
import { Outbox } from "../../spine/store/outbox/Outbox.ts"
import { makeSecretBox } from "../../spine/store/secrets/SecretBox.ts"
import { readKeys, type SecretKeys, SecretsKeyError } from "../../spine/store/secrets/SecretKeys.ts"

const keyIdOf = (sealed: string): string => sealed.split(".")[1] ?? ""

const boxOf = (keys: SecretKeys) => makeSecretBox(keys, () => Result.succeed(keys))

/** Fails if stored secrets need a key that is not given. Without it they could not be used or sealed again. */
export const requireKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* Effect.fromResult(readKeys(yield* Settings))
  const needed = yield* sql<{ readonly key_id: string }>`
    SELECT DISTINCT split_part(sealed, '.', 2) AS key_id
    FROM (
      SELECT unnest(ARRAY[sealed_secret, previous_sealed_secret]) FROM webhooks WHERE deleted_at IS NULL
      UNION ALL SELECT sealed_secret FROM notice_urls
    ) AS secrets (sealed) WHERE sealed ~ '^v1[.][0-9a-f]{8}[.]' ORDER BY key_id`
  const known = [keys.current, ...keys.previous].map(({ id }) => id)
  const missing = needed.map(({ key_id }) => key_id).filter((id) => !known.includes(id))
  if (missing.length > 0) {
    return yield* new SecretsKeyError({
      message: `SECRETS_KEY: webhook secrets are sealed with key ${missing.join(" and ")}, and given is ${known.join(", ")}; give the one they were sealed with as SECRETS_KEY or as SECRETS_KEY_PREVIOUS.`
    })
  }
})

export interface SecretsFound {
  /** How many webhooks are not deleted. A URL for notices counts as one. */
  readonly webhooks: number
  /** Webhooks with a secret that cannot be decrypted. */
  readonly unreadable: number
  /** Webhooks with a secret that only a previous key decrypts. */
  readonly ofPreviousKey: number
}

interface Sealed {
  readonly id: string
  readonly secrets: ReadonlyArray<string>
}

/** Tries to open every secret with `keys`. Changes nothing. */
export const examineSecrets = Effect.fnUntraced(function* (keys: SecretKeys) {
  const sql = yield* SqlClient.SqlClient
  const { open } = boxOf(keys)
  const found = { webhooks: 0, unreadable: 0, ofPreviousKey: 0 }
  let after = ""
  while (true) {
    const rows = yield* sql<Sealed>`
      SELECT id, array_remove(ARRAY[sealed_secret, previous_sealed_secret], NULL) AS secrets FROM webhooks
      WHERE id > ${after} AND deleted_at IS NULL
      UNION ALL
      SELECT account_id, ARRAY[sealed_secret] FROM notice_urls
      WHERE account_id > ${after} AND sealed_secret IS NOT NULL ORDER BY id LIMIT ${Limits.statementRows}`
    for (const { secrets } of rows) {
      found.webhooks++
      if (secrets.some((sealed) => Result.isFailure(open(sealed)))) found.unreadable++
      else if (secrets.some((sealed) => keyIdOf(sealed) !== keys.current.id)) found.ofPreviousKey++
    }
    if (rows.length < Limits.statementRows) return found satisfies SecretsFound
    after = rows.at(-1)!.id
  }
})

interface Resealed {
  readonly resealed: number
  /** Webhooks, and accounts of URLs for notices, with a secret that could not be opened. They are unchanged. */
  readonly unreadable: ReadonlyArray<string>
}

interface StoredRow extends WebhookRow {
  readonly previous_sealed_secret: string | null
  readonly deleted_at: string | null
}

/** Seals the secrets of URLs for notices with the current key; returns the accounts whose secret could not be opened. */
const resealNotices = (keys: SecretKeys) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { open, seal } = boxOf(keys)
    const rows = yield* sql<{ readonly id: string; readonly sealed: string }>`
      SELECT account_id AS id, sealed_secret AS sealed FROM notice_urls
      WHERE split_part(sealed_secret, '.', 2) <> ${keys.current.id} ORDER BY account_id FOR UPDATE`
    const unreadable: Array<string> = []
    for (const { id, sealed } of rows) {
      const secret = open(sealed)
      if (Result.isFailure(secret)) unreadable.push(id)
      else yield* sql`UPDATE notice_urls SET sealed_secret = ${seal(secret.success)} WHERE account_id = ${id}`
    }
    return unreadable
  }).pipe((resealing) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(resealing)))

/** Seals with the current key every secret that a previous one of `keys` has sealed, also of deleted webhooks. */
export const resealSecrets = Effect.fnUntraced(function* <R>(
  keys: SecretKeys,
  /** Called with the number of rows to do. Its result is called after each batch with the number done. */
  progress: (total: number) => Effect.Effect<(done: number) => Effect.Effect<void>, never, R>
) {
  const sql = yield* SqlClient.SqlClient
  const outbox = yield* Outbox
  const { seal, open } = boxOf(keys)
  const columns = sql.literal(`${WEBHOOK_COLUMNS}, deleted_at`)
  const again = (sealed: string) => Result.map(open(sealed), seal)
  const toDo = sql`
    sealed_secret <> '' AND (split_part(sealed_secret, '.', 2) <> ${keys.current.id}
      OR split_part(previous_sealed_secret, '.', 2) <> ${keys.current.id})`

  const batch = (after: string) =>
    Effect.gen(function* () {
      const rows = yield* sql<StoredRow>`
        SELECT ${columns} FROM webhooks WHERE id > ${after} AND ${toDo}
        ORDER BY id LIMIT ${Limits.largeRows} FOR UPDATE`
      const opened: Array<{ id: string; sealed: string; previous: string | null }> = []
      const unreadable: Array<string> = []
      for (const { id, sealed_secret, previous_sealed_secret, deleted_at } of rows) {
        const sealed = again(sealed_secret)
        const previous =
          previous_sealed_secret === null ? Result.succeed(null) : again(previous_sealed_secret)
        if (Result.isSuccess(sealed) && Result.isSuccess(previous)) {
          opened.push({ id, sealed: sealed.success, previous: previous.success })
        } else if (deleted_at === null) unreadable.push(id)
      }
      const written = yield* sql<StoredRow>`
        UPDATE webhooks SET sealed_secret = new.sealed, previous_sealed_secret = new.previous
        FROM unnest(
          ${column(opened.map(({ id }) => id))}::text[],
          ${column(opened.map(({ sealed }) => sealed))}::text[],
          ${column(opened.map(({ previous }) => previous))}::text[]
        ) AS new (webhook_id, sealed, previous)
        WHERE id = webhook_id RETURNING ${columns}`
      const alive = written.filter(({ deleted_at }) => deleted_at === null)
      if (alive.length > 0) yield* outbox.insert(alive.map(configRecord))
      return { lastId: rows.at(-1)?.id, taken: rows.length, resealed: written.length, unreadable }
    }).pipe(sql.withTransaction, Effect.retry(afterDeadlock))

  const [counted] = yield* sql<{ readonly total: number }>`
    SELECT count(*)::float8 AS total FROM webhooks WHERE ${toDo}`
  const show = yield* progress(counted!.total)
  const unreadable = yield* resealNotices(keys)
  let resealed = 0
  let after: string | undefined = ""
  while (after !== undefined) {
    const done: Effect.Success<ReturnType<typeof batch>> = yield* batch(after)
    resealed += done.resealed
    unreadable.push(...done.unreadable)
    if (done.taken > 0) yield* show(resealed + unreadable.length)
    after = done.taken < Limits.largeRows ? undefined : done.lastId
  }
  return { resealed, unreadable } satisfies Resealed
})
