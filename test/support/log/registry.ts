/** One schema registry for the tests of a file, and a client for its HTTP API. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { missingForRegistry, startRegistry } from "../../kafka/registry.ts"

const missing = missingForRegistry()
export const registryMissing = missing !== undefined
if (missing !== undefined && process.env["REQUIRE_KAFKA"] === "1") {
  throw new Error(`REQUIRE_KAFKA: no schema registry can be had here; install ${missing}.`)
}

export class Registry extends Context.Service<Registry, { readonly url: string }>()("test/Registry") {
  static readonly layer = Layer.effect(
    Registry,
    Effect.acquireRelease(
      Effect.promise(async () => {
        const folder = mkdtempSync(join(tmpdir(), "ledgerhook-registry-"))
        return { folder, ...(await startRegistry(folder)) }
      }),
      ({ folder, stop }) =>
        Effect.promise(async () => {
          await stop()
          rmSync(folder, { recursive: true, force: true })
        })
    )
  )
}

export const askRegistry = (path: string, body?: object) =>
  Effect.gen(function* () {
    const { url } = yield* Registry
    return yield* Effect.promise(async () => {
      const response = await fetch(url + path, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        headers: { "content-type": "application/vnd.schemaregistry.v1+json" }
      })
      assert.isTrue(response.ok, `${path}: HTTP ${response.status}`)
      return JSON.parse(await response.text())
    })
  })

/** Long enough for the first start, which downloads the registry and, on an older machine, Java 21. */
export const REGISTRY_STARTING_MS = 300_000
