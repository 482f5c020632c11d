/**
 * Generates `schemas/signature-vectors.json`: requests with a secret, and whether a receiver must accept them.
 * Verifiers in every language are tested with them: the functions of docs/receiving.md and the receiver packages.
 * Pure.
 *
 * This file has its own signing code and does not use the service's signer, so a mistake in the signer fails a test.
 */
import { createHmac } from "node:crypto"

interface SignatureVector {
  readonly name: string
  readonly scheme: "service" | "standard"
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  /** Text; its UTF-8 bytes are what is signed. */
  readonly body: string
  /** The receiver's clock in Unix seconds. Only the standard scheme signs a time. */
  readonly now: number
  readonly accepted: boolean
}

/**
 * How far a signed timestamp may be from the receiver's clock, in either direction: what Standard Webhooks' libraries
 * use.
 */
const TOLERANCE_SECONDS = 300
const NOW = 1763684802

const SECRET = "whsec_dGhlIHdob2xlIHN0cmluZyBpcyB0aGUga2V5IQ=="
const OTHER_SECRET = "whsec_YW5vdGhlciBzZWNyZXQsIG5vdCB0aGUgcmlnaHQ="
const OWN_SECRET = "a-secret-of-one's-own:not-base64"

const BODY = '{"event_id":"xrpl:1:AB:payment.xrp","payload":{ "amount":"1" }}'
const CHANGED_BODY = BODY.replace('"1"', '"2"')
const NON_ASCII_BODY = '{"event_id":"xrpl:1:AB:payment.xrp","note":"Grüße – 元 🪙","payload":{}}'
const MESSAGE_ID = "dlv_01KAJ0Q4M8000000G3T5W7Y9ZB"

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text, "utf8")

const serviceSignature = (secret: string, body: string) => `sha256=${hmac(secret, body).digest("hex")}`

/** Makes a vector with this header text; undefined leaves the header out. */
const service = (
  name: string,
  header: string | undefined,
  accepted: boolean,
  { body = BODY, secret = SECRET } = {}
): SignatureVector => ({
  name: `service: ${name}`,
  scheme: "service",
  secret,
  headers: header === undefined ? {} : { "X-Service-Signature": header },
  body,
  now: NOW,
  accepted
})

const serviceVectors = (): ReadonlyArray<SignatureVector> => {
  const good = serviceSignature(SECRET, BODY)
  const other = serviceSignature(OTHER_SECRET, BODY)
  return [
    service("the right signature", good, true),
    service("a secret that is not base64", serviceSignature(OWN_SECRET, BODY), true, { secret: OWN_SECRET }),
    service("two signatures, the first is right", `${good},${other}`, true),
    service("two signatures, the second is right", `${other},${good}`, true),
    service("two signatures with a space, the second is right", `${other}, ${good}`, true),
    service("an empty body", serviceSignature(SECRET, ""), true, { body: "" }),
    service("a body with characters beyond ASCII", serviceSignature(SECRET, NON_ASCII_BODY), true, {
      body: NON_ASCII_BODY
    }),
    service("a wrong secret", other, false),
    service("two signatures, both of a wrong secret", `${other},${other}`, false),
    service("a changed byte in the body", good, false, { body: CHANGED_BODY }),
    service("a byte more in the body", good, false, { body: `${BODY}\n` }),
    service("no header", undefined, false),
    service("an empty header", "", false),
    service("only a comma", ",", false),
    service("no prefix", good.slice("sha256=".length), false),
    service("only the prefix", "sha256=", false),
    service("another prefix", good.replace("sha256=", "sha512="), false),
    service("a signature cut short", good.slice(0, -1), false),
    service("a character too many", `${good}0`, false),
    service("two signatures separated by a semicolon", `${good};${good}`, false),
    service("base64 instead of hex", `sha256=${hmac(SECRET, BODY).digest("base64")}`, false),
    service("characters beyond ASCII in the header", "sha256=ü", false)
  ]
}

const standardSignature = (secret: string, timestamp: number | string, body: string, id = MESSAGE_ID) => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  return `v1,${hmac(key, `${id}.${timestamp}.${body}`).digest("base64")}`
}

interface StandardOptions {
  readonly body?: string
  readonly id?: string
  readonly secret?: string
  readonly timestamp?: number | string
  readonly without?: string
}

const standard = (
  name: string,
  signature: string,
  accepted: boolean,
  { body = BODY, id = MESSAGE_ID, secret = SECRET, timestamp = NOW, without }: StandardOptions = {}
): SignatureVector => {
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature
  }
  return {
    name: `standard: ${name}`,
    scheme: "standard",
    secret,
    headers: Object.fromEntries(Object.entries(headers).filter(([header]) => header !== without)),
    body,
    now: NOW,
    accepted
  }
}

/** A request that is signed correctly for its timestamp, so that only the time can be wrong. */
const timed = (name: string, timestamp: number | string, accepted: boolean) =>
  standard(name, standardSignature(SECRET, timestamp, BODY), accepted, { timestamp })

const standardVectors = (): ReadonlyArray<SignatureVector> => {
  const good = standardSignature(SECRET, NOW, BODY)
  const other = standardSignature(OTHER_SECRET, NOW, BODY)
  const old = NOW - TOLERANCE_SECONDS - 1
  return [
    standard("the right signature", good, true),
    standard("two signatures, the first is right", `${good} ${other}`, true),
    standard("two signatures, the second is right", `${other} ${good}`, true),
    standard("a signature of an unknown version and the right one", `v1a,AAAA ${good}`, true),
    standard("an empty body", standardSignature(SECRET, NOW, ""), true, { body: "" }),
    standard("a body with characters beyond ASCII", standardSignature(SECRET, NOW, NON_ASCII_BODY), true, {
      body: NON_ASCII_BODY
    }),
    timed("as old as the tolerance allows", NOW - TOLERANCE_SECONDS, true),
    timed("as far ahead as the tolerance allows", NOW + TOLERANCE_SECONDS, true),
    timed("an old timestamp", old, false),
    timed("a timestamp too far ahead", NOW + TOLERANCE_SECONDS + 1, false),
    standard("a fresh timestamp that was not signed", standardSignature(SECRET, old, BODY), false),
    standard("another message id than the signed one", good, false, { id: "dlv_01KAJ0Q4M8000000G3T5W7Y9ZC" }),
    standard("a wrong secret", other, false),
    standard("a changed byte in the body", good, false, { body: CHANGED_BODY }),
    standard(
      "the secret's text as the key",
      `v1,${hmac(SECRET, `${MESSAGE_ID}.${NOW}.${BODY}`).digest("base64")}`,
      false
    ),
    standard("no webhook-id", good, false, { without: "webhook-id" }),
    standard("no webhook-timestamp", good, false, { without: "webhook-timestamp" }),
    standard("no webhook-signature", good, false, { without: "webhook-signature" }),
    standard("an empty signature", "", false),
    standard("only the version", "v1,", false),
    standard("no version", good.slice("v1,".length), false),
    standard("another version", good.replace("v1,", "v2,"), false),
    standard("a signature cut short", good.slice(0, -2), false),
    standard("two signatures separated by a comma", `${other},${good}`, false),
    standard("characters beyond ASCII in the header", "v1,ü", false),
    timed("a timestamp that is no number", "yesterday", false),
    timed("a timestamp with letters after it", `${NOW}s`, false),
    timed("a timestamp with a fraction", `${NOW}.5`, false)
  ]
}

export const signatureVectors = () => ({
  description:
    "Requests for testing a verifier of webhook signatures. For each vector, sign the UTF-8 bytes of `body` with `secret` as its `scheme` says, compare with `headers`, and expect `accepted`. `now` is the receiver's clock in Unix seconds.",
  schemes: {
    service:
      "X-Service-Signature: sha256= and the HMAC-SHA256 of the body in lower-case hex; several are separated by a comma. The key is the UTF-8 bytes of the whole secret.",
    standard:
      "Standard Webhooks. webhook-signature: v1, and the HMAC-SHA256 of <webhook-id>.<webhook-timestamp>.<body> in base64; several are separated by a space. The key is the base64-decoded rest of the secret after whsec_. webhook-timestamp must be within tolerance_seconds of the receiver's clock."
  },
  tolerance_seconds: TOLERANCE_SECONDS,
  vectors: [...serviceVectors(), ...standardVectors()]
})
