/** Cursors of every list: only the service can make one, every server accepts it, and nobody can alter it. */
import { hash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SecretBox } from "../../src/spine/store/secrets/SecretBox.ts"
import { ApiUnderTest, anotherServer, apiLayer } from "../support/http/api.ts"
import { settingsLayer } from "../support/program/settings.ts"

const REFUSED =
  "cursor must be the next_cursor of the previous page, with the same filters, account and key environment."

/** Ids that no list has: each would make a statement fail, or read what was not asked for. */
const hostileIds = [
  "",
  "x",
  "\0",
  "dlv_",
  "dlv_ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
  "NaN mainnet 0 0",
  "1e309 mainnet 1 1",
  "0 other -1 99999999999999999999",
  "a".repeat(4_000)
]

/** A cursor with a hash of values that the caller knows. */
const unkeyed = (list: ReadonlyArray<unknown>, id: string) =>
  Buffer.from(`${hash("sha256", JSON.stringify([...list, id]), "base64url").slice(0, 12)}${id}`).toString(
    "base64url"
  )

/** Every list, with what names it: its name, the caller, and each filter (a filter that is not given is null). */
const listsOf = (accountId: string): ReadonlyArray<readonly [path: string, list: ReadonlyArray<unknown>]> => [
  ["/v1/webhooks", ["webhooks", accountId, "mainnet", null, null]],
  ["/v1/deliveries", ["deliveries", accountId, "mainnet", null, null, null, null, null, null]],
  ["/v1/replay", ["replay", accountId, "mainnet"]],
  ["/v1/api-keys", ["api-keys", accountId, "live", "test"]],
  ["/v1/events", ["events", JSON.stringify({ networks: ["mainnet"], eventTypes: [] })]]
]

const twoWebhooks = Effect.gen(function* () {
  const api = yield* ApiUnderTest
  const { accountId, key } = yield* api.account()
  const body = { url: "https://example.com/hook", event_types: ["payment.xrp"] }
  for (let i = 0; i < 2; i++) yield* api.call("POST", "/v1/webhooks", { key, body })
  const first = yield* api.call("GET", "/v1/webhooks?limit=1", { key })
  return { accountId, key, cursor: first.body.next_cursor as string }
})

layer(apiLayer(), { excludeTestServices: true })("a cursor", (it) => {
  it.effect("made by a caller from what callers know is 400 in every list, whatever it holds", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { accountId, key } = yield* api.account()
      for (const [path, list] of listsOf(accountId)) {
        for (const id of hostileIds) {
          const { status, body } = yield* api.call("GET", `${path}?cursor=${unkeyed(list, id)}`, { key })
          assert.deepStrictEqual([path, id, status, body.error?.message], [path, id, 400, REFUSED])
        }
      }
    })
  )

  it.effect("that is altered, cut or continued is 400", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { key, cursor } = yield* twoWebhooks
      const bytes = Buffer.from(cursor, "base64url")
      const altered = Array.from(bytes, (byte, at) => {
        const copy = Buffer.from(bytes)
        copy[at] = byte ^ 1
        return copy.toString("base64url")
      })
      const cut = Array.from(bytes, (_, length) => bytes.subarray(0, length).toString("base64url"))
      for (const wrong of [...altered, ...cut, `${cursor}A`, `${cursor}=`, `.${cursor}`]) {
        const { status } = yield* api.call("GET", `/v1/webhooks?limit=1&cursor=${wrong}`, { key })
        assert.deepStrictEqual([wrong, status], [wrong, 400])
      }
    })
  )

  it.effect("is accepted by every server", () =>
    Effect.gen(function* () {
      const { key, cursor } = yield* twoWebhooks
      const other = yield* anotherServer
      const { status, body } = yield* other.call("GET", `/v1/webhooks?limit=1&cursor=${cursor}`, { key })
      assert.strictEqual(status, 200)
      assert.lengthOf(body.data, 1)
      assert.isNull(body.next_cursor)
    })
  )
})

const base64 = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const boxWith = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(SecretBox, Layer.fresh(SecretBox.layer).pipe(Layer.provide(settingsLayer(environment))))

layer(Layer.empty)("the keys of cursors", (it) => {
  it.effect("follow SECRETS_KEY, accept SECRETS_KEY_PREVIOUS, and are not the key itself", () =>
    Effect.gen(function* () {
      const [old] = (yield* boxWith({ SECRETS_KEY: base64(1) })).keysFor("cursors")
      const [again] = (yield* boxWith({ SECRETS_KEY: base64(1) })).keysFor("cursors")
      const rotated = yield* boxWith({ SECRETS_KEY: base64(2), SECRETS_KEY_PREVIOUS: base64(1) })
      const [current, ...previous] = rotated.keysFor("cursors")
      assert.deepStrictEqual(again, old)
      assert.deepStrictEqual(previous, [old])
      assert.notDeepEqual(current, old)
      assert.notDeepEqual(old, Buffer.alloc(32, 1))
      assert.notDeepEqual(rotated.keysFor("another purpose")[0], current)
      assert.isTrue(Result.isSuccess(rotated.open(rotated.seal("secret"))))
    })
  )
})
