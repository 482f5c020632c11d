/** A server of OAuth 2.0 tokens: signs JWTs for one client, and publishes its key for a Kafka broker. */
import { createSign, generateKeyPairSync } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface TokenServer {
  readonly tokenUrl: string
  /** The address of the key (JWKS). */
  readonly keysUrl: string
  readonly audience: string
  /** How many tokens it has given. */
  readonly given: () => number
  /** What it answers from now on. `silent`: nothing. */
  readonly answer: (how: "token" | "silent" | "nonsense" | "endless") => void
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const AUDIENCE = "kafka"

/** Its tokens are valid for `lifeS` seconds. It stops with the scope. */
export const makeTokenServer = (client: { id: string; secret: string }, lifeS: number) =>
  Effect.acquireRelease(
    Effect.callback<TokenServer & { readonly close: () => void }>((resume) => {
      const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 })
      const expected = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}`
      let given = 0
      let how: Parameters<TokenServer["answer"]>[0] = "token"
      const sign = () => {
        const iat = Math.floor(Date.now() / 1_000)
        const claims = { sub: client.id, aud: AUDIENCE, scope: "kafka", iat, exp: iat + lifeS }
        const signed = `${base64({ alg: "RS256", typ: "JWT", kid: "1" })}.${base64(claims)}`
        return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`
      }
      const server = createServer((request, response) => {
        const reply = (status: number, body: object) =>
          response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body))
        let body = ""
        request.on("data", (chunk) => {
          body += chunk
        })
        request.on("end", () => {
          if (request.url === "/keys") {
            return reply(200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] })
          }
          if (how === "silent") return
          if (how === "nonsense") return reply(200, { hello: "world" })
          if (how === "endless") return response.end(Buffer.alloc(1_000_000, "x"))
          if (request.headers.authorization !== expected) {
            return reply(401, { error: "invalid_client", error_description: "unknown client" })
          }
          if (new URLSearchParams(body).get("grant_type") !== "client_credentials") {
            return reply(400, { error: "unsupported_grant_type" })
          }
          given++
          return reply(200, { access_token: sign(), token_type: "Bearer", expires_in: lifeS })
        })
      })
      server.listen(0, "127.0.0.1", () => {
        // The cast is safe: a server that listens on TCP has an `AddressInfo`.
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resume(
          Effect.succeed({
            tokenUrl: `${url}/token`,
            keysUrl: `${url}/keys`,
            audience: AUDIENCE,
            given: () => given,
            answer: (next) => {
              how = next
            },
            close: () => {
              server.close()
              server.closeAllConnections()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )
