/** `/status` names hosts: without OPS_PORT it answers a caller on this machine, and nobody whom that caller may serve. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiUnderTest, apiLayer, assertErrorBody } from "../../support/http/api.ts"
import { rawCall } from "../../support/servers/rawHttp.ts"

layer(apiLayer(), { excludeTestServices: true })("/status without OPS_PORT", (it) => {
  it.effect("answers a caller on this machine, by each of its names", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      for (const host of ["localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080"])
        assert.strictEqual((yield* rawCall(`${api.url}/status`, { host })).status, 200, host)
    })
  )

  it.effect("answers nobody behind a proxy, and no page that has made its name lead here", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const from: ReadonlyArray<Record<string, string>> = [
        { forwarded: "for=192.0.2.1" },
        { "x-forwarded-for": "192.0.2.1" },
        { "x-forwarded-proto": "https" },
        { "x-real-ip": "192.0.2.1" },
        { via: "1.1 proxy" },
        { host: "hooks.example.com" },
        { host: "127.0.0.1.example.com" },
        { host: "localhost.example.com:8080" }
      ]
      for (const headers of from) {
        const { bytes, status } = yield* rawCall(`${api.url}/status`, headers)
        assert.strictEqual(status, 404, JSON.stringify(headers))
        assertErrorBody(JSON.parse(bytes.toString()), "NOT_FOUND")
      }
    })
  )
})
