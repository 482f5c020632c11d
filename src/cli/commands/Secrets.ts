/**
 * `ledgerhook secrets rotate`: moves the stored webhook secrets to a new key, beside a running service or without one.
 * With a key file it makes the new key itself; with SECRETS_KEY both keys are given, and the operator says when every
 * process has them. Cut short anywhere, it is run again; nothing is lost in between, since both keys are kept.
 */
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { Settings, type SettingsShape } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { trySessionLock } from "../../sql/SessionLock.ts"
import { Outbox } from "../../storage/outbox/Outbox.ts"
import * as Sql from "../../storage/Sql.ts"
import { makeKey, previousKeyFile, readKeys, replaceKeyFile } from "../../storage/webhooks/SecretKeys.ts"
import { requireKeys, resealSecrets } from "../../storage/webhooks/SecretRotation.ts"
import { requireDatabase } from "../Stores.ts"
import { failed, wrongUsage } from "../terminal/Failure.ts"
import { about } from "../terminal/Help.ts"
import { settings } from "../terminal/Invocation.ts"
import { showProgress } from "../terminal/Progress.ts"
import { json, printOne } from "../terminal/Table.ts"

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
          `SECRETS_KEY_PREVIOUS ${fault}; set it to the present key and SECRETS_KEY to a new one (\`openssl rand -base64 32\` makes one), restart every process, and run this again.`
        )
      )
}

/** For the life of the scope: of two that make a key at once, one would throw the other's away. */
const alone = Effect.gen(function* () {
  if (yield* trySessionLock("secrets-rotation")) return
  return yield* failed("another `ledgerhook secrets rotate` is at work on this database; wait for its end.")
})

const reseal = Effect.fnUntraced(function* (given: SettingsShape) {
  const keys = yield* Effect.fromResult(readKeys(given))
  const progress = (total: number) => showProgress("sealed anew", total, "webhooks")
  const { resealed, unreadable } = yield* resealSecrets(keys, progress)
  if (unreadable.length > 0) {
    return yield* failed(
      `the secrets of ${unreadable.length} webhooks have been altered in the database and were left as they are: ${unreadable.join(", ")}; give them new ones (POST /v1/webhooks/:id/rotate-secret), and run this again.`
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
    // What an earlier rotation has left behind would need the key that is dropped now.
    yield* reseal(given)
    yield* Effect.fromResult(replaceKeyFile(given.dataDir))
  }
  return yield* reseal(given)
})

const MINUTE_MS = 60_000

/** When nothing needs the previous key any more: compaction has then dropped what the log held under it. */
const droppable = ({ secretsKey, dataDir }: SettingsShape): string => {
  const after = `when the service has run for ${Limits.maintenanceMs / MINUTE_MS} minutes and \`ledgerhook doctor\` finds nothing sealed with it`
  return secretsKey === undefined
    ? `The previous key is kept in ${previousKeyFile(dataDir)}, which may be deleted ${after}. The next rotation replaces it.`
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
        ["sealed anew", `the secrets of ${resealed} webhooks`]
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
    "Encrypt the stored webhook secrets with a new key. The secrets themselves stay, so receivers notice nothing, and a running service goes on. Without SECRETS_KEY the command makes a new key file in DATA_DIR and keeps the old one beside it. With SECRETS_KEY: give every process the new key as SECRETS_KEY_PREVIOUS and restart it (needed only where several run); then give every process the new key as SECRETS_KEY and the old one as SECRETS_KEY_PREVIOUS, and restart it; then run this command. Cut short, it may be run again.",
    {
      "ledgerhook secrets rotate": "A new key file, or with both keys in the environment",
      "ledgerhook doctor": "Whether every stored secret can be opened"
    }
  )
)

export const secrets = Command.make("secrets").pipe(
  Command.withDescription("Look after the key that webhook secrets are encrypted with"),
  Command.withSubcommands([rotate])
)
