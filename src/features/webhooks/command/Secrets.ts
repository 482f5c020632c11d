/**
 * `ledgerhook secrets rotate`: encrypts the stored webhook secrets with a new key. The service may be running. With a
 * key file the command generates the new key; with SECRETS_KEY the operator gives both keys to every process first. If
 * the command is interrupted, run it again: both keys are kept, so nothing is lost.
 */
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { Settings, type SettingsShape } from "../../../spine/config/Config.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import { trySessionLock } from "../../../spine/log/SessionLock.ts"
import { Outbox } from "../../../spine/store/outbox/Outbox.ts"
import * as Sql from "../../../spine/store/Sql.ts"
import {
  makeKey,
  previousKeyFile,
  readKeys,
  replaceKeyFile
} from "../../../spine/store/secrets/SecretKeys.ts"
import { roughlySpelled } from "../../../spine/words/Words.ts"
import { failed, wrongUsage } from "../../../terminal/Failure.ts"
import { about } from "../../../terminal/Help.ts"
import { settings } from "../../../terminal/Invocation.ts"
import { showProgress } from "../../../terminal/ProgressLine.ts"
import { requireDatabase } from "../../../terminal/Stores.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import { requireKeys, resealSecrets } from "../SecretRotation.ts"

const checkSettings = ({ secretsKey, secretsKeyPrevious }: SettingsShape) => {
  if (secretsKey === undefined) return Effect.void
  const fault =
    secretsKeyPrevious === undefined
      ? "is unset"
      : secretsKeyPrevious.equals(secretsKey)
        ? "is the same as SECRETS_KEY"
        : undefined
  return fault === undefined
    ? Effect.void
    : Effect.fail(
        wrongUsage(
          `SECRETS_KEY_PREVIOUS ${fault}; set it to the current key and SECRETS_KEY to a new one (from \`openssl rand -base64 32\`), restart every process, and run this command again.`
        )
      )
}

/**
 * Keeps the lock until the scope closes. Without it, one of two concurrent commands would overwrite the key that the
 * other generated.
 */
const alone = Effect.gen(function* () {
  if (yield* trySessionLock("secrets-rotation")) return
  return yield* failed("another `ledgerhook secrets rotate` is running on this database; wait until it ends.")
})

const reseal = Effect.fnUntraced(function* (given: SettingsShape) {
  const keys = yield* Effect.fromResult(readKeys(given))
  const progress = (total: number) => showProgress("encrypted", total, "webhooks")
  const { resealed, unreadable } = yield* resealSecrets(keys, progress)
  if (unreadable.length > 0) {
    return yield* failed(
      `the secrets of ${unreadable.length} webhooks cannot be decrypted, because they were changed in the database: ${unreadable.join(", ")}; give these webhooks new secrets with POST /v1/webhooks/:id/rotate-secret (if it is an account: PUT /v1/account/notices with a secret), and run this command again.`
    )
  }
  return { keys, resealed }
})

const rotateSecrets = Effect.gen(function* () {
  const given = yield* Settings
  yield* checkSettings(given)
  yield* alone
  const ownFile = given.secretsKey === undefined
  yield* Effect.fromResult(makeKey(given))
  yield* requireKeys
  if (ownFile) {
    // Secrets that an interrupted rotation left behind need the previous key, which is dropped now.
    yield* reseal(given)
    yield* Effect.fromResult(replaceKeyFile(given.dataDir))
  }
  return yield* reseal(given)
})

/** When the previous key may be deleted: compaction has then removed the log's records encrypted with it. */
const droppable = ({ secretsKey, dataDir }: SettingsShape): string => {
  const after = `when the service has run for ${roughlySpelled(Limits.maintenanceMs)} and \`ledgerhook doctor\` reports no secret that is encrypted with it`
  return secretsKey === undefined
    ? `The previous key is kept in ${previousKeyFile(dataDir)}, and may be deleted ${after}. The next rotation replaces it.`
    : `SECRETS_KEY_PREVIOUS may be unset in every process ${after}.`
}

const rotate = Command.make("rotate", { json }, ({ json: asJson }) =>
  Effect.gen(function* () {
    const { keys, resealed } = yield* Effect.scoped(rotateSecrets)
    const note = droppable(yield* Settings)
    yield* printOne({
      json: asJson,
      fields: [
        ["current key", keys.current.id],
        ["previous key", keys.previous.map(({ id }) => id).join(", ")],
        ["encrypted", `the secrets of ${resealed} webhooks`]
      ],
      value: {
        current_key: keys.current.id,
        previous_keys: keys.previous.map(({ id }) => id),
        resealed,
        note
      },
      note
    })
  }).pipe(
    Effect.provide(
      Outbox.layer.pipe(
        Layer.provideMerge(
          Layer.unwrap(
            Effect.as(requireDatabase, Sql.layer({ command: "ledgerhook secrets rotate", owner: false }))
          )
        ),
        Layer.provideMerge(settings)
      )
    )
  )
).pipe(
  about(
    "Encrypt webhook secrets with a new key",
    "Encrypt the stored webhook secrets with a new key. The secrets themselves do not change, so receivers notice nothing, and the service may keep running. Without SECRETS_KEY, the command generates a new key file in DATA_DIR and keeps the old one beside it. With SECRETS_KEY, take three steps. 1. If several processes run: set SECRETS_KEY_PREVIOUS of each to the new key, and restart it. 2. Set SECRETS_KEY of each process to the new key and SECRETS_KEY_PREVIOUS to the old one, and restart it. 3. Run this command. If it is interrupted, run it again.",
    {
      "ledgerhook secrets rotate": "Change to a new key",
      "ledgerhook doctor": "Check that every stored secret can be decrypted"
    }
  )
)

export const secrets = Command.make("secrets").pipe(
  Command.withDescription("Change the key that encrypts webhook secrets"),
  Command.withSubcommands([rotate])
)
