/** Texts of failed connections have the cause, but neither OpenSSL's codes nor the paths of its source. */
import { assert, describe, it } from "@effect/vitest"
import { failureText, opensslReason, plainMessage } from "../../../src/spine/domain/ConnectionFailure.ts"
import { reasonOf } from "../../../src/spine/log/kafka/ErrorText.ts"

const raw =
  "write EPROTO 409DC8582D7F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/openssl/ssl/record/methods/tlsany_meth.c:77:\n"
const alert =
  "402D:error:0A00042E:SSL routines::tlsv1 alert protocol version:../deps/openssl/ssl/record/rec_layer_s3.c:918:SSL alert number 70\n"

describe("an error of OpenSSL", () => {
  it("is reduced to its reason, wherever it is shown", () => {
    assert.strictEqual(opensslReason(raw), "wrong version number")
    assert.strictEqual(plainMessage(raw), "TLS: wrong version number")
    assert.strictEqual(plainMessage(`a; ${alert}`), "a; TLS: tlsv1 alert protocol version")
    assert.strictEqual(reasonOf(new AggregateError([new Error(raw)])), "TLS: wrong version number")
  })

  it("is recognised only by its form", () => {
    for (const message of ["connect ECONNREFUSED 127.0.0.1:1", "", "error: a: b: c: d: 5: e"])
      assert.strictEqual(plainMessage(message), message)
  })
})

it("a code that is unknown is shown, whatever it is called", () => {
  assert.strictEqual(failureText("E_NEVER_SEEN"), "connection failed (E_NEVER_SEEN)")
  assert.strictEqual(failureText("constructor"), "connection failed (constructor)")
})
