/** The OpenAPI document's headers: what the gate reads from every request and writes on every answer. Pure. */
import { IDEMPOTENCY_KEY_PATTERN } from "./Idempotency.ts"
import type { Schema } from "./OpenApiSchemas.ts"

/** A reference into the document. */
export const component = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

const header = (required: boolean, description: string, schema: Schema) => ({
  description,
  required,
  schema
})

const requestIdSchema = { type: "string", pattern: "^[!-~]{1,128}$", examples: ["7b1f0a52-6a4e-4f0c-9d0e"] }

/** The name of the header in answers, and of the parameter, among the components. */
export const REQUEST_ID = "RequestId"

const rateLimits: Readonly<Record<string, readonly [name: string, description: string, schema: Schema]>> = {
  "X-RateLimit-Limit": [
    "RateLimitLimit",
    "requests allowed in the window, minute or UTC day, that has fewer left",
    { type: "integer", minimum: 0, examples: [300] }
  ],
  "X-RateLimit-Remaining": [
    "RateLimitRemaining",
    "requests left in that window",
    { type: "integer", minimum: 0, examples: [299] }
  ],
  "X-RateLimit-Reset": [
    "RateLimitReset",
    "when that window ends, in Unix seconds",
    { type: "integer", minimum: 0, examples: [1_795_253_460] }
  ]
}

export const headerComponents = {
  [REQUEST_ID]: header(true, "the caller's own X-Request-Id, or one made for this request", requestIdSchema),
  ...Object.fromEntries(
    Object.values(rateLimits).map(([name, description, schema]) => [name, header(true, description, schema)])
  ),
  RetryAfter: header(true, "whole seconds to wait before the next try", {
    type: "integer",
    minimum: 1,
    examples: [15]
  }),
  Allow: header(true, "the methods that the path takes", {
    type: "string",
    examples: ["GET, HEAD, OPTIONS"]
  })
}

export const requestIdParameter = {
  name: "X-Request-Id",
  in: "header",
  required: false,
  description:
    "an id of your own for this request, 1 to 128 visible ASCII characters: the answer carries it too",
  schema: requestIdSchema
}

/** The name of the parameter among the components. */
export const IDEMPOTENCY_KEY = "IdempotencyKey"

export const idempotencyKeyParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "a text of your own, 1 to 255 visible ASCII characters, new for each request: repeated with the same key and body within 24 hours, the request does nothing more and gets the same answer, with the header Idempotency-Replayed: true",
  schema: { type: "string", pattern: IDEMPOTENCY_KEY_PATTERN, examples: ["5f1c2a9e-3b7d-4c55-9a0e"] }
}

/** What the gate writes on an answer. */
export const headersOf = (status: string, keyed: boolean) => {
  // Before the key is known there is nothing to say of its limits.
  const failedEarly = status === "500" || status === "503"
  return {
    "X-Request-Id": component("headers", REQUEST_ID),
    ...(keyed && status !== "401"
      ? Object.fromEntries(
          Object.entries(rateLimits).map(([key, [name, description, schema]]) => [
            key,
            failedEarly ? header(false, description, schema) : component("headers", name)
          ])
        )
      : {}),
    ...(status === "429" || status === "503" ? { "Retry-After": component("headers", "RetryAfter") } : {}),
    ...(status === "405" ? { Allow: component("headers", "Allow") } : {})
  }
}
