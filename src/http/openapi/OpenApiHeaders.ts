/** The headers in the OpenAPI document: those that the gate reads from requests and adds to responses. Pure. */
import { IDEMPOTENCY_KEY_PATTERN } from "../Idempotency.ts"
import { REQUEST_ID_PATTERN } from "../RequestId.ts"
import type { Schema } from "./OpenApiSchemas.ts"

export const component = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

const header = (required: boolean, description: string, schema: Schema) => ({
  description,
  required,
  schema
})

const requestIdExamples = ["7b1f0a52-6a4e-4f0c-9d0e"]

/** Name of the component, both as a response header and as a parameter. */
export const REQUEST_ID = "RequestId"

const rateLimits: Readonly<Record<string, readonly [name: string, description: string, schema: Schema]>> = {
  "X-RateLimit-Limit": [
    "RateLimitLimit",
    "Requests that the key may make in the current minute or UTC day, whichever has fewer left.",
    { type: "integer", minimum: 0, examples: [300] }
  ],
  "X-RateLimit-Remaining": [
    "RateLimitRemaining",
    "Requests left in that minute or day.",
    { type: "integer", minimum: 0, examples: [299] }
  ],
  "X-RateLimit-Reset": [
    "RateLimitReset",
    "When that minute or day ends, in Unix seconds.",
    { type: "integer", minimum: 0, examples: [1_795_253_460] }
  ]
}

export const headerComponents = {
  [REQUEST_ID]: header(
    true,
    "The X-Request-Id of the request, or a new id if the request had none. Give it when you report a problem.",
    { type: "string", pattern: REQUEST_ID_PATTERN, examples: requestIdExamples }
  ),
  ...Object.fromEntries(
    Object.values(rateLimits).map(([name, description, schema]) => [name, header(true, description, schema)])
  ),
  RetryAfter: header(true, "Seconds to wait before the next request.", {
    type: "integer",
    minimum: 1,
    examples: [15]
  }),
  WwwAuthenticate: header(true, "How to send a key.", {
    type: "string",
    examples: ['Bearer realm="ledgerhook"']
  }),
  Allow: header(true, "The methods that the path accepts.", {
    type: "string",
    examples: ["GET, HEAD, OPTIONS"]
  })
}

export const requestIdParameter = {
  name: "X-Request-Id",
  in: "header",
  required: false,
  description:
    "Your own id for this request: 1 to 128 visible ASCII characters. The response has the same id, or a new one instead of any other text, an empty one included.",
  schema: { type: "string", examples: requestIdExamples }
}

/** The name of the parameter in the components. */
export const IDEMPOTENCY_KEY = "IdempotencyKey"

export const idempotencyKeyParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "a text of your own, 1 to 255 visible ASCII characters, new for each request: repeated with the same API key and body within 24 hours, the request does nothing more and gets the same answer, with the header Idempotency-Replayed: true",
  schema: { type: "string", pattern: IDEMPOTENCY_KEY_PATTERN, examples: ["5f1c2a9e-3b7d-4c55-9a0e"] }
}

/** The headers that the gate adds to a response with this status. */
export const headersOf = (status: string, keyed: boolean) => {
  // These may occur before the key is known, so the rate limit headers may be missing.
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
    ...(status === "401" ? { "WWW-Authenticate": component("headers", "WwwAuthenticate") } : {}),
    ...(status === "405" ? { Allow: component("headers", "Allow") } : {})
  }
}
