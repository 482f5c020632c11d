/** Contract of `/v1/session`: signing in to the dashboard and out of it. */
import { Context, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  BodyBytes,
  bodyErrors,
  CommonErrors,
  field,
  Keyless,
  keyless,
  rule
} from "../../http/ContractParts.ts"
import {
  Forbidden,
  RateLimited,
  SessionLimitReached,
  SessionOfAnotherAccount,
  Unauthorized,
  Unavailable
} from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { keyEnvironments } from "../../spine/event/Network.ts"

const TEXT_MAX = 256
/** Nobody has shown a key yet, so little is read and parsed for them. */
const BODY_BYTES = 1_024
const KEY_EXAMPLE = "svc_live_I7301N4KatzDEshDMpEZ8BxT6TAoeAPj5Zy738Dx7Qb"
const secret = (description: string, example: string) =>
  Schema.optionalKey(
    field(
      Schema.String.check(
        rule(
          ({ length }: string) =>
            length >= 1 && length <= TEXT_MAX ? undefined : `must have 1 to ${TEXT_MAX} characters`,
          { minLength: 1, maxLength: TEXT_MAX }
        )
      ),
      description,
      example
    )
  )

const SignIn = Schema.Struct({
  key: secret("An API key.", KEY_EXAMPLE),
  link: secret(
    "What follows `#link=` in a link that signs in: the first start of the service prints one, and the command `ledgerhook portal`. It is valid for 10 minutes, once.",
    "link_live_8vX1kTq0n3mJYw5cRbZs2LdAeHfGuPo7iKxQ4yVtN6M"
  ),
  replace: Schema.optionalKey(
    field(
      Schema.Boolean,
      "Whether sessions of other accounts end in this browser. Needs the header `X-Requested-With: ledgerhook`. Without it such a session refuses the sign-in with 409.",
      true
    )
  )
}).annotate({
  identifier: "SignIn",
  description: "Either an API key or a link.",
  examples: [{ key: KEY_EXAMPLE }]
})

const withoutKey = (notes: Parameters<typeof keyless>[0]) => Context.add(keyless(notes), Keyless, true)

export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("open", "/", {
      payload: SignIn,
      success: HttpApiSchema.NoContent,
      error: [
        Unauthorized,
        Forbidden,
        SessionOfAnotherAccount,
        SessionLimitReached,
        RateLimited,
        Unavailable,
        ...bodyErrors
      ]
    })
      .annotateMerge(
        withoutKey({
          identifier: "signIn",
          summary: "Sign in to the dashboard",
          description:
            "For browsers; programs send their API key with each request. The answer sets a cookie, which scripts cannot read, for 12 hours. Requests with it and with the header `X-Requested-With: ledgerhook` are made as with the key, until the key is revoked or expires. A browser may have a session of a live key and one of a test key; `X-Service-Environment: live` or `test` then says which one a request uses (default: the live one). An API key in a header wins over a cookie. The body has at most 1 KiB. Needs no key."
        })
      )
      .annotate(BodyBytes, BODY_BYTES),
    HttpApiEndpoint.delete("close", "/", {
      headers: {
        "x-service-environment": Schema.optionalKey(
          field(Schema.Literals(keyEnvironments), "Which session ends. Without it, both do.", "test")
        )
      },
      success: HttpApiSchema.NoContent,
      error: [Unauthorized, Unavailable, ...bodyErrors]
    }).annotateMerge(
      withoutKey({
        identifier: "signOut",
        summary: "Sign out of the dashboard",
        description:
          "Ends the sessions whose cookies the request has, and removes the cookies. Also answers 204 if there is none. Needs no key."
      })
    )
  )
  .middleware(CommonErrors)
  .annotate(Place, 160)
  .annotate(OpenApi.Description, "Sessions of the dashboard.")
  .prefix("/v1/session") {}
