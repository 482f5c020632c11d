/**
 * `/docs`: the API to read and to try in a browser. The page holds all it needs, the document included, and its
 * Content-Security-Policy lets it speak to this server and to nobody else.
 */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"
import { Api } from "./Contract.ts"

export const DOCS_PATH = "/docs"

/** A script's name in the policy: no other one runs. */
const hashOf = (script: string): string => `'sha256-${createHash("sha256").update(script).digest("base64")}'`

const policyOf = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${Array.from(page.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, text]) => hashOf(text!)).join(" ")}`,
    // It gives elements styles of their own.
    "style-src 'unsafe-inline'",
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** The page is the same each time, and so is its policy. */
const policies = new WeakMap<Uint8Array, string>()

const withPolicy = (response: HttpServerResponse.HttpServerResponse) => {
  const { body } = response
  if (body._tag !== "Uint8Array") return response
  const policy = policies.get(body.body) ?? policyOf(new TextDecoder().decode(body.body))
  policies.set(body.body, policy)
  return HttpServerResponse.setHeaders(response, {
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  })
}

export const docsLayer = HttpApiSwagger.layer(Api, { path: DOCS_PATH }).pipe(
  Layer.provide(HttpRouter.middleware((page) => Effect.map(page, withPolicy)).layer)
)
