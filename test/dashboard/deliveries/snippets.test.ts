/** The programs that the page of a delivery offers: they compute the signature that the service sends. */
import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import {
  type Language,
  languages,
  signedOf
} from "../../../dashboard/src/features/deliveries/delivery/snippets.ts"

const KEY = Buffer.from("0123456789abcdef01234567/+")
const SECRET = `whsec_${KEY.toString("base64")}`
/** Quotes, commands, an escape, other alphabets, and characters that copying may lose. */
const BODY = `{"a":"it's \\"$HOME\\" \`id\` \\\\n %s","b":"Zürich 東京 😀","c":"\u202e\u200b\u2028\u00a0\ufeff"}`
const ID = "dlv_01M84HFC8T00009N96AHDACZMJ"
const TIMESTAMP = "1795448877"

const commands: Record<Language, ReadonlyArray<string>> = {
  Shell: ["sh", "-c"],
  "Node.js": [process.execPath, "--input-type=module", "-e"],
  Python: ["python3", "-c"]
}

const run = (language: Language, program: string): string => {
  const [command, ...args] = [...commands[language], program]
  const { stdout, stderr } = spawnSync(command!, args, {
    env: { SECRET, PATH: "/usr/local/bin:/usr/bin:/bin", PYTHONUTF8: "1" },
    encoding: "utf8"
  })
  assert.strictEqual(stderr, "")
  return stdout.trim()
}

describe("the programs that compute a signature", () => {
  it("are one for each signature that the request carries", () => {
    const headersOf = (headers: Record<string, string>) => signedOf(BODY, headers).map(({ header }) => header)
    const standard = { "webhook-id": ID, "webhook-timestamp": TIMESTAMP, "webhook-signature": "v1,***" }
    assert.deepStrictEqual(headersOf({ "X-Service-Signature": "sha256=***" }), ["X-Service-Signature"])
    assert.deepStrictEqual(headersOf(standard), ["webhook-signature"])
    assert.deepStrictEqual(headersOf({ "X-Service-Signature": "sha256=***", ...standard }), [
      "X-Service-Signature",
      "webhook-signature"
    ])
    assert.deepStrictEqual(headersOf({}), [])
  })

  const [service, standard] = signedOf(BODY, {
    "X-Service-Signature": "sha256=***",
    "webhook-id": ID,
    "webhook-timestamp": TIMESTAMP
  })
  const ofBody = `sha256=${createHmac("sha256", SECRET).update(BODY).digest("hex")}`
  const ofAll = `v1,${createHmac("sha256", KEY).update(`${ID}.${TIMESTAMP}.${BODY}`).digest("base64")}`

  for (const language of languages) {
    it(`compute both signatures of any body in ${language}`, () => {
      assert.strictEqual(run(language, service!.snippets[language]), ofBody)
      assert.strictEqual(run(language, standard!.snippets[language]), ofAll)
    })
  }
})
