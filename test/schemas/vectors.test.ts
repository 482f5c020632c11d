/** The vectors of schemas/signature-vectors.json accept the service's signatures. published.test.ts checks the file. */
import { assert, describe, it } from "@effect/vitest"
import { signature } from "../../src/spine/deliver/send/Signer.ts"
import { vectors } from "../support/tree/signatureLanguages.ts"

const isRight = ({ body, headers, secret }: (typeof vectors)[number]): boolean =>
  (headers["X-Service-Signature"] ?? "").split(",").some((one) => one.trim() === signature(secret, body))

describe("schemas/signature-vectors.json", () => {
  it("accepts the service's signatures and nothing else", () => {
    const service = vectors.filter(({ scheme }) => scheme === "service")
    assert.deepStrictEqual(
      service.map((vector) => [vector.name, isRight(vector)]),
      service.map(({ accepted, name }) => [name, accepted])
    )
  })

  it("has accepted and refused requests of both schemes, each under its own name", () => {
    assert.sameMembers(
      [...new Set(vectors.map(({ accepted, scheme }) => `${scheme} ${accepted}`))],
      ["service true", "service false", "standard true", "standard false"]
    )
    assert.lengthOf(new Set(vectors.map(({ name }) => name)), vectors.length)
  })
})
