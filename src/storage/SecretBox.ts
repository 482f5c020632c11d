/**
 * Seals webhook secrets for rest and for the log: AES-256-GCM with SECRETS_KEY, else with a key file in DATA_DIR made at
 * the first start. Sealed form: `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url; the key id (the
 * first 8 hex digits of the key's SHA-256) tells which key is needed.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Settings } from "../config/Config.ts"

export class SecretsKeyError extends Schema.TaggedError<SecretsKeyError>()("SecretsKeyError", {
  message: Schema.String
}) {}

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Reads the key file, or makes it: written and synced beside its place, then linked there, so it is whole or absent. */
const keyFile = (dataDir: string): Buffer => {
  const path = join(dataDir, "secrets.key")
  try {
    return Buffer.from(readFileSync(path, "utf8").trim(), "base64")
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const fresh = `${path}.${process.pid}`
  const file = openSync(fresh, "w", 0o600)
  writeSync(file, `${randomBytes(KEY_BYTES).toString("base64")}\n`)
  fsyncSync(file)
  closeSync(file)
  try {
    linkSync(fresh, path)
  } catch {
    // Another process was first; its key is read below.
  }
  rmSync(fresh)
  return Buffer.from(readFileSync(path, "utf8").trim(), "base64")
}

export class SecretBox extends Context.Service<
  SecretBox,
  {
    readonly seal: (secret: string) => string
    readonly open: (sealed: string) => Result.Result<string, SecretsKeyError>
  }
>()("ledgerhook/storage/SecretBox") {
  static readonly layer = Layer.effect(
    SecretBox,
    Effect.gen(function* () {
      const { secretsKey, dataDir } = yield* Settings
      const key = yield* Effect.try({
        try: () => secretsKey ?? keyFile(dataDir),
        catch: (error) =>
          new SecretsKeyError({
            message: `SECRETS_KEY: the key file in ${dataDir} cannot be read or made (${String(error)}).`
          })
      })
      if (key.length !== KEY_BYTES) {
        return yield* new SecretsKeyError({
          message: `SECRETS_KEY: the file secrets.key in ${dataDir} does not hold 32 bytes in base 64.`
        })
      }
      const keyId = createHash("sha256").update(key).digest("hex").slice(0, 8)

      const seal = (secret: string): string => {
        const nonce = randomBytes(NONCE_BYTES)
        const cipher = createCipheriv("aes-256-gcm", key, nonce)
        const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
        return `v1.${keyId}.${nonce.toString("base64url")}.${body.toString("base64url")}`
      }

      const open = (sealed: string): Result.Result<string, SecretsKeyError> => {
        const [version, id, nonce, body] = sealed.split(".")
        if (version !== "v1" || nonce === undefined || body === undefined) {
          return Result.fail(new SecretsKeyError({ message: "A sealed webhook secret is not readable." }))
        }
        if (id !== keyId) {
          return Result.fail(
            new SecretsKeyError({
              message: `SECRETS_KEY: webhook secrets are sealed with key ${id}, and the key given is ${keyId}; give the one they were sealed with.`
            })
          )
        }
        try {
          const bytes = Buffer.from(body, "base64url")
          const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"))
          decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
          const text = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()])
          return Result.succeed(text.toString("utf8"))
        } catch {
          return Result.fail(new SecretsKeyError({ message: "A sealed webhook secret has been altered." }))
        }
      }

      return SecretBox.of({ seal, open })
    })
  )
}
