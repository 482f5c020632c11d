/**
 * Programs that compute the signature of one delivery, so that a developer can compare it with what the own receiver
 * got. The secret is not known here: the programs read it from the environment variable SECRET. Pure.
 */

export const languages = ["Shell", "Node.js", "Python"] as const
export type Language = (typeof languages)[number]

export interface Signed {
  /** The header that the computed signature is compared with. */
  readonly header: string
  readonly snippets: Record<Language, string>
}

export const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A JSON text is a string of JavaScript and of Python. Hidden characters are escaped, so that they survive copying. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u00a0\u00ad\u2000-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** X-Service-Signature: over the body. The key is the whole secret. */
const service = (body: string): Signed => ({
  header: "X-Service-Signature",
  snippets: {
    Shell: `printf %s ${shellText(body)} |
  openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* /sha256=/'`,
    "Node.js": `import { createHmac } from "node:crypto"

const body = ${quoted(body)}
console.log("sha256=" + createHmac("sha256", process.env.SECRET).update(body).digest("hex"))`,
    Python: `import hashlib, hmac, os

body = ${quoted(body)}
print("sha256=" + hmac.new(os.environ["SECRET"].encode(), body.encode(), hashlib.sha256).hexdigest())`
  }
})

/** webhook-signature: over the id, the time and the body. The key is what the secret's base64 stands for. */
const standard = (body: string, id: string, timestamp: string): Signed => {
  const signed = `${id}.${timestamp}.${body}`
  return {
    header: "webhook-signature",
    snippets: {
      Shell: `KEY=$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
printf %s ${shellText(signed)} |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64 | sed 's/^/v1,/'`,
      "Node.js": `import { createHmac } from "node:crypto"

const signed = ${quoted(signed)}
const key = Buffer.from(process.env.SECRET.replace("whsec_", ""), "base64")
console.log("v1," + createHmac("sha256", key).update(signed).digest("base64"))`,
      Python: `import base64, hashlib, hmac, os

signed = ${quoted(signed)}
key = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
print("v1," + base64.b64encode(hmac.new(key, signed.encode(), hashlib.sha256).digest()).decode())`
    }
  }
}

/** One for each signature that the request carries. `headers` are those of the delivery's last request. */
export const signedOf = (body: string, headers: Readonly<Record<string, string>>): ReadonlyArray<Signed> => {
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  )
  const [id, timestamp] = [named["webhook-id"], named["webhook-timestamp"]]
  return [
    ...("x-service-signature" in named ? [service(body)] : []),
    ...(id !== undefined && timestamp !== undefined ? [standard(body, id, timestamp)] : [])
  ]
}
