/**
 * Seals webhook secrets for the database and the log: AES-256-GCM with the current key of SecretKeys. The sealed form
 * is `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url; the key id says which key opens it.
 * Secrets sealed with a previous key can be opened too. If another process replaces the key file, the new key is used
 * at once.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { Context, Effect, Layer, Result } from "effect"
import { Settings } from "../../config/Config.ts"
import { makeKey, readKeys, type SecretKey, type SecretKeys, SecretsKeyError } from "./SecretKeys.ts"

const NONCE_BYTES = 12
const TAG_BYTES = 16

const sealWith = ({ id, bytes }: SecretKey, secret: string): string => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce)
  const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `v1.${id}.${nonce.toString("base64url")}.${body.toString("base64url")}`
}

const failure = (message: string) => Result.fail(new SecretsKeyError({ message }))

const openWith = ({ bytes }: SecretKey, nonce: string, body: string) => {
  try {
    const sealed = Buffer.from(body, "base64url")
    const decipher = createDecipheriv("aes-256-gcm", bytes, Buffer.from(nonce, "base64url"))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    const text = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
    return Result.succeed(text.toString("utf8"))
  } catch {
    return failure("A sealed webhook secret has been altered.")
  }
}

const derived = ({ bytes }: SecretKey, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", bytes, "", purpose, bytes.length))

const keyIds = ({ current, previous }: SecretKeys): string => {
  const [given, ...others] = [current, ...previous].map(({ id }) => id)
  return others.length === 0 ? `the key given is ${given}` : `the keys given are ${given} and ${others}`
}

interface SecretBoxShape {
  /** Seals with the current key. Dies if the key file cannot be read, so that nothing is sealed with a lost key. */
  readonly seal: (secret: string) => string
  readonly open: (sealed: string) => Result.Result<string, SecretsKeyError>
  /** Keys for another purpose, each derived from a known key: that of the current key first. */
  readonly keysFor: (purpose: string) => readonly [Buffer, ...ReadonlyArray<Buffer>]
}

/** `latest` reads the current keys again. */
export const makeSecretBox = (
  keys: SecretKeys,
  latest: () => Result.Result<SecretKeys, SecretsKeyError>
): SecretBoxShape => {
  let known = keys
  const keyOf = (id: string | undefined) =>
    [known.current, ...known.previous].find((candidate) => candidate.id === id)
  return {
    seal: (secret) => {
      known = Result.getOrThrow(latest())
      return sealWith(known.current, secret)
    },
    open: (sealed) => {
      const [version, id, nonce, body] = sealed.split(".")
      if (version !== "v1" || nonce === undefined || body === undefined) {
        return failure("A sealed webhook secret is not readable.")
      }
      if (keyOf(id) === undefined) known = Result.getOrElse(latest(), () => known)
      const key = keyOf(id)
      return key === undefined
        ? failure(
            `SECRETS_KEY: webhook secrets are sealed with key ${id}, and ${keyIds(known)}; give the one they were sealed with, as SECRETS_KEY or as SECRETS_KEY_PREVIOUS.`
          )
        : openWith(key, nonce, body)
    },
    keysFor: (purpose) => [
      derived(known.current, purpose),
      ...known.previous.map((key) => derived(key, purpose))
    ]
  }
}

export class SecretBox extends Context.Service<SecretBox, SecretBoxShape>()("ledgerhook/storage/SecretBox") {
  static readonly layer = Layer.effect(
    SecretBox,
    Effect.gen(function* () {
      const settings = yield* Settings
      const latest = () => readKeys(settings)
      yield* Effect.fromResult(makeKey(settings))
      return makeSecretBox(yield* Effect.fromResult(latest()), latest)
    })
  )
}
