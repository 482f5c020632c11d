/** Webhook secrets at rest: only the same key decrypts them, and the error names the missing key. */
import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SecretBox } from "../../../../src/spine/store/secrets/SecretBox.ts"
import { previousKeyFile, replaceKeyFile } from "../../../../src/spine/store/secrets/SecretKeys.ts"
import { settingsLayer } from "../../../support/program/settings.ts"

const boxWith = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(SecretBox, Layer.fresh(SecretBox.layer).pipe(Layer.provide(settingsLayer(environment))))

const base64 = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const keyOf = (byte: number) => ({ SECRETS_KEY: base64(byte) })
const keysOf = (current: number, previous: number) => ({
  ...keyOf(current),
  SECRETS_KEY_PREVIOUS: base64(previous)
})

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-secrets-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

describe("secret box", () => {
  it.effect("opens what it sealed, and seals the same text differently each time", () =>
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

  it.effect("refuses an altered value and a value that is not a sealed secret", () =>
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

  it.effect("creates a key file that only its user can read, and uses it at the next start", () =>
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

  it.effect("writes a new key file through no link, and with its own mode", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [file, other] = [join(folder, "secrets.key"), join(folder, "other")]
      writeFileSync(other, "of somebody else")
      symlinkSync(other, `${file}.${process.pid}`)
      yield* boxWith({ SECRETS_KEY: "", DATA_DIR: folder })
      writeFileSync(`${file}.${process.pid}`, "", { mode: 0o666 })
      symlinkSync(other, previousKeyFile(folder))
      yield* Effect.fromResult(replaceKeyFile(folder))
      for (const path of [file, previousKeyFile(folder)]) {
        assert.strictEqual(lstatSync(path).mode, 0o100600)
        assert.strictEqual(readFileSync(path, "utf8").length, 45)
      }
      assert.strictEqual(readFileSync(other, "utf8"), "of somebody else")
    })
  )

  it.effect("opens values sealed with either key, and seals with the current one", () =>
    Effect.gen(function* () {
      const [old, fresh] = [yield* boxWith(keyOf(1)), yield* boxWith(keyOf(2))]
      const before = yield* boxWith(keysOf(1, 2))
      const after = yield* boxWith(keysOf(2, 1))
      for (const box of [before, after]) {
        assert.deepStrictEqual(box.open(old.seal("a")), Result.succeed("a"))
        assert.deepStrictEqual(box.open(fresh.seal("b")), Result.succeed("b"))
      }
      assert.deepStrictEqual(old.open(before.seal("c")), Result.succeed("c"))
      assert.deepStrictEqual(fresh.open(after.seal("d")), Result.succeed("d"))
      assert.isTrue(Result.isFailure(fresh.open(before.seal("c"))))
    })
  )

  it.effect("follows a key file that another process has replaced: in opening, and in sealing", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const environment = { SECRETS_KEY: "", DATA_DIR: folder }
      const running = yield* boxWith(environment)
      const old = running.seal("old")
      yield* Effect.fromResult(replaceKeyFile(folder))
      const restarted = yield* boxWith(environment)
      assert.deepStrictEqual(running.open(restarted.seal("new")), Result.succeed("new"))
      for (const box of [running, restarted]) assert.deepStrictEqual(box.open(old), Result.succeed("old"))
      rmSync(previousKeyFile(folder))
      const without = yield* boxWith(environment)
      assert.deepStrictEqual(without.open(running.seal("sealed since")), Result.succeed("sealed since"))
      assert.isTrue(Result.isFailure(without.open(old)))
    })
  )

  it.effect("fails if the key file contains no key", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "secrets.key"), "c2hvcnQ=\n")
      const { message } = yield* Effect.flip(boxWith({ SECRETS_KEY: "", DATA_DIR: folder }))
      assert.match(message, /^SECRETS_KEY: the file .*secrets\.key does not hold 32 bytes in base 64\.$/)
    })
  )
})
