/**
 * The keys that seal webhook secrets: the current key (SECRETS_KEY, otherwise the key file in DATA_DIR, made at the
 * first start) and previous keys, which only open what they sealed (SECRETS_KEY_PREVIOUS, and the file that a
 * rotation left). A key file is whole or absent, and only its user can read it.
 */
import { createHash, randomBytes } from "node:crypto"
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync
} from "node:fs"
import { basename, join } from "node:path"
import { Result, Schema } from "effect"
import type { SettingsShape } from "../../config/Config.ts"
import { written } from "../NewFile.ts"

export class SecretsKeyError extends Schema.TaggedError<SecretsKeyError>()("SecretsKeyError", {
  message: Schema.String
}) {}

export interface SecretKey {
  /** The first 8 hex digits of the key's SHA-256. Part of every sealed secret; it does not help to guess the key. */
  readonly id: string
  readonly bytes: Buffer
}

export interface SecretKeys {
  readonly current: SecretKey
  readonly previous: ReadonlyArray<SecretKey>
}

type SecretKeySettings = Pick<SettingsShape, "dataDir" | "secretsKey" | "secretsKeyPrevious">

const KEY_BYTES = 32

const keyFile = (dataDir: string): string => join(dataDir, "secrets.key")
export const previousKeyFile = (dataDir: string): string => `${keyFile(dataDir)}.previous`

const keyOf = (bytes: Buffer): SecretKey => ({
  id: createHash("sha256").update(bytes).digest("hex").slice(0, 8),
  bytes
})

const read = (path: string): SecretKey => {
  const bytes = Buffer.from(readFileSync(path, "utf8").trim(), "base64")
  if (bytes.length !== KEY_BYTES) {
    throw new SecretsKeyError({
      message: `SECRETS_KEY: the file ${path} does not hold ${KEY_BYTES} bytes in base 64.`
    })
  }
  return keyOf(bytes)
}

const textOf = (bytes: Buffer): string => `${bytes.toString("base64")}\n`

const attempt = <A>(dataDir: string, use: () => A): Result.Result<A, SecretsKeyError> =>
  Result.try({
    try: use,
    catch: (error) =>
      error instanceof SecretsKeyError
        ? error
        : new SecretsKeyError({
            message: `SECRETS_KEY: the key file in ${dataDir} cannot be read or written (${String(error)}).`
          })
  })

/** The text of each key file that DATA_DIR has, by name, for a backup. */
export const keyFileTexts = (dataDir: string): Result.Result<Record<string, string>, SecretsKeyError> =>
  attempt(dataDir, () =>
    Object.fromEntries(
      [keyFile(dataDir), previousKeyFile(dataDir)]
        .filter((path) => existsSync(path))
        .map((path) => [basename(path), readFileSync(path, "utf8")])
    )
  )

/** Writes the key files of a backup. */
export const restoreKeyFiles = (
  dataDir: string,
  texts: Readonly<Record<string, string>>
): Result.Result<void, SecretsKeyError> =>
  attempt(dataDir, () => {
    for (const path of [keyFile(dataDir), previousKeyFile(dataDir)]) {
      const text = texts[basename(path)]
      if (text !== undefined) renameSync(written(path, text), path)
    }
  })

/** Makes the key file if there is neither SECRETS_KEY nor a file. Processes that start together get the same key. */
export const makeKey = ({ dataDir, secretsKey }: SecretKeySettings): Result.Result<void, SecretsKeyError> =>
  attempt(dataDir, () => {
    const path = keyFile(dataDir)
    if (secretsKey !== undefined || existsSync(path)) return
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const fresh = written(path, textOf(randomBytes(KEY_BYTES)))
    try {
      linkSync(fresh, path)
    } catch (error) {
      // Another process was first.
      if (!existsSync(path)) throw error
    } finally {
      rmSync(fresh)
    }
  })

/** Reads the keys from settings and files. A rotation may replace the files at any time. */
export const readKeys = (settings: SecretKeySettings): Result.Result<SecretKeys, SecretsKeyError> =>
  attempt(settings.dataDir, () => {
    const { dataDir, secretsKey, secretsKeyPrevious } = settings
    const given = secretsKeyPrevious === undefined ? [] : [keyOf(secretsKeyPrevious)]
    if (secretsKey !== undefined) return { current: keyOf(secretsKey), previous: given }
    // The current key first: if it is replaced meanwhile, it is then read as the previous key.
    const current = read(keyFile(dataDir))
    const previous = previousKeyFile(dataDir)
    return { current, previous: existsSync(previous) ? [...given, read(previous)] : given }
  })

/**
 * Replaces the key file by a new key and keeps the current key as the previous one. Secrets sealed with the former
 * previous key can no longer be opened.
 */
export const replaceKeyFile = (dataDir: string): Result.Result<void, SecretsKeyError> =>
  attempt(dataDir, () => {
    const path = keyFile(dataDir)
    const previous = previousKeyFile(dataDir)
    const { bytes } = read(path)
    // The order of these steps matters: at every moment one of the files contains each key in use.
    renameSync(written(previous, textOf(bytes)), previous)
    renameSync(written(path, textOf(randomBytes(KEY_BYTES))), path)
    const folder = openSync(dataDir, "r")
    fsyncSync(folder)
    closeSync(folder)
  })
