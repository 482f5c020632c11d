/** Webhook secrets at rest: sealed so that only the same key opens them, and whoever lost the key is told which. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SecretBox } from "../../src/storage/SecretBox.ts"
import { settingsLayer } from "../support/settings.ts"

const boxWith = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(SecretBox, Layer.fresh(SecretBox.layer).pipe(Layer.provide(settingsLayer(environment))))

const keyOf = (byte: number) => ({ SECRETS_KEY: Buffer.alloc(32, byte).toString("base64") })

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-secrets-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

describe("secret box", () => {
  it.effect("opens what it sealed, and never seals the same text twice alike", () =>
    Effect.gen(function* () {
      const box = yield* boxWith(keyOf(1))
      const [one, other] = [box.seal("whsec_ü"), box.seal("whsec_ü")]
      assert.notStrictEqual(one, other)
      assert.notInclude(one, "whsec")
      assert.deepStrictEqual(box.open(one), Result.succeed("whsec_ü"))
      assert.deepStrictEqual(box.open(other), Result.succeed("whsec_ü"))
    })
  )

  it.effect("names the setting and both keys when it is given another key", () =>
    Effect.gen(function* () {
      const sealed = (yield* boxWith(keyOf(1))).seal("secret")
      const opened = (yield* boxWith(keyOf(2))).open(sealed)
      assert.isTrue(Result.isFailure(opened))
      if (Result.isFailure(opened)) {
        assert.match(
          opened.failure.message,
          /^SECRETS_KEY: .* sealed with key [0-9a-f]{8}, .* given is [0-9a-f]{8}/
        )
      }
    })
  )

  it.effect("refuses what was altered or is no sealed secret", () =>
    Effect.gen(function* () {
      const box = yield* boxWith(keyOf(1))
      const [version, id, nonce, body] = box.seal("secret").split(".")
      const altered = Buffer.from(body!, "base64url")
      altered[0]! ^= 1
      for (const sealed of [
        [version, id, nonce, altered.toString("base64url")].join("."),
        "v1.x",
        "",
        "secret"
      ]) {
        assert.isTrue(Result.isFailure(box.open(sealed)), sealed)
      }
    })
  )

  it.effect("makes a key file of its own that only its user can read, and goes on using it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const environment = { SECRETS_KEY: "", DATA_DIR: folder }
      const sealed = (yield* boxWith(environment)).seal("secret")
      const file = join(folder, "secrets.key")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(Buffer.from(readFileSync(file, "utf8").trim(), "base64").length, 32)
      assert.deepStrictEqual((yield* boxWith(environment)).open(sealed), Result.succeed("secret"))
    })
  )
})
