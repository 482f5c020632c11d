/** Every cause of a failed attempt that the service names has a sentence that says what to do. */
import { assert, describe, it } from "@effect/vitest"
import { adviceFor, causeInFull, causeInShort, hostOf } from "../../../dashboard/src/words/causes.ts"
import {
  connectionFailure,
  responseFailure,
  timeoutFailure
} from "../../../src/spine/deliver/send/RequestFailures.ts"

const failure = (code: string) => connectionFailure(Object.assign(new Error("failed"), { code }))

describe("causes of failures", () => {
  it("of responses and of connections have advice", () => {
    const statuses = [301, 401, 403, 404, 405, 410, 413, 429, 500, 502, 503, 504]
    const codes = [
      "ECONNREFUSED",
      "ECONNRESET",
      "ETIMEDOUT",
      "EHOSTUNREACH",
      "ENETUNREACH",
      "ENOTFOUND",
      "EAI_AGAIN",
      "CERT_HAS_EXPIRED",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "EPROTO",
      "ADDRESS_NOT_ALLOWED",
      "UND_ERR_CONNECT_TIMEOUT"
    ]
    const causes = [
      ...statuses.map((status) => responseFailure(status)!),
      ...codes.map(failure),
      timeoutFailure(10_000)
    ]
    for (const cause of causes) assert.match(adviceFor(cause, "shop.example") ?? "none", /\.$/, cause)
  })

  it("name the host where that helps", () => {
    assert.strictEqual(
      adviceFor(failure("CERT_HAS_EXPIRED"), hostOf("https://mirror.example/hooks?a=1")),
      "Renew the certificate of mirror.example."
    )
  })

  it("are shown in full, and in a word for a column", () => {
    assert.strictEqual(causeInFull("HTTP 503"), "HTTP 503 Service Unavailable")
    assert.strictEqual(causeInFull("HTTP 599"), "HTTP 599")
    assert.deepStrictEqual(
      ["HTTP 503", "TLS: certificate has expired", "timeout after 10000 ms"].map(causeInShort),
      ["503", "TLS", "timeout after 10000 ms"]
    )
  })
})
