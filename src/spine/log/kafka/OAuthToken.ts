/**
 * Tokens for SASL/OAUTHBEARER: fetched from KAFKA_OAUTH_TOKEN_URL by the client credentials grant (RFC 6749, 4.4), one
 * request at a time, and shared by all connections of the process. A token is replaced after three quarters of its life.
 * While the endpoint is away, the present one is used until it ends. Messages never contain the secret or a token.
 */
import { Duration, Effect, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import type { OAuthSettings } from "../../config/Config.ts"
import { monotonicNow } from "../../words/Monotonic.ts"
import { printable } from "../../words/Printable.ts"
import { seconds } from "../../words/Words.ts"

/** Less than `kafkaConnectMs`, within which a connection must have logged in. */
const ANSWER_MS = 4_000
const ANSWER_BYTES = 64 * 1_024
const SHOWN_CHARACTERS = 200
/**
 * Part of a token's life after which it is replaced. Connections log in again after 80 % of the time that the broker
 * allows, which ends with the token: they must get a new one then.
 */
const USED = 0.75
/** The life of a token whose answer does not tell it. */
const UNKNOWN_LIFE_S = 300
const SECOND_MS = 1_000

export class OAuthTokenError extends Schema.TaggedError<OAuthTokenError>()("OAuthTokenError", {
  message: Schema.String
}) {}

const Answer = Schema.fromJsonString(
  Schema.Struct({ access_token: Schema.NonEmptyString, expires_in: Schema.optionalKey(Schema.Number) })
)
const Refusal = Schema.fromJsonString(
  Schema.Struct({ error: Schema.String, error_description: Schema.optionalKey(Schema.String) })
)

interface Token {
  readonly text: string
  /** On the monotonic clock, in milliseconds. */
  readonly replaceAt: number
  readonly endsAt: number
}

const reasonIn = (body: string): string => {
  const said = Schema.decodeUnknownOption(Refusal)(body)
  if (said._tag === "None") return ""
  const { error, error_description: more } = said.value
  return `: ${printable(more === undefined ? error : `${error}, ${more}`, SHOWN_CHARACTERS)}`
}

const fetchToken = ({ clientId, clientSecret, scope, tokenUrl }: OAuthSettings) => {
  const fault = (what: string) =>
    new OAuthTokenError({
      message: `KAFKA_OAUTH_TOKEN_URL: the endpoint at ${new URL(tokenUrl).host} ${what}`
    })
  return Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const askedAt = yield* monotonicNow
    const response = yield* client.execute(
      HttpClientRequest.post(tokenUrl).pipe(
        // RFC 6749, 2.3.1: both are form-encoded first.
        HttpClientRequest.basicAuth(encodeURIComponent(clientId), encodeURIComponent(clientSecret)),
        HttpClientRequest.acceptJson,
        HttpClientRequest.bodyUrlParams({
          grant_type: "client_credentials",
          ...(scope === undefined ? {} : { scope })
        })
      )
    )
    const parts = yield* Stream.runFoldEffect(
      response.stream,
      () => ({ bytes: 0, all: [] as Array<Uint8Array> }),
      ({ all, bytes }, part) =>
        bytes + part.length > ANSWER_BYTES
          ? Effect.fail(fault(`sent more than ${ANSWER_BYTES} bytes`))
          : Effect.succeed({ bytes: bytes + part.length, all: [...all, part] })
    )
    const body = Buffer.concat(parts.all).toString()
    if (response.status !== 200) {
      return yield* fault(`gives no token to this client (HTTP ${response.status}${reasonIn(body)})`)
    }
    const answer = yield* Effect.mapError(Schema.decodeUnknownEffect(Answer)(body), () =>
      fault("sent an answer without a token")
    )
    const lifeMs = (answer.expires_in ?? UNKNOWN_LIFE_S) * SECOND_MS
    return {
      text: answer.access_token,
      replaceAt: askedAt + lifeMs * USED,
      endsAt: askedAt + lifeMs
    } satisfies Token
  }).pipe(
    Effect.timeout(Duration.millis(ANSWER_MS)),
    Effect.catchTags({
      HttpClientError: () => Effect.fail(fault("cannot be reached")),
      TimeoutError: () => Effect.fail(fault(`did not answer within ${seconds(ANSWER_MS)}`))
    }),
    Effect.provide(FetchHttpClient.layer)
  )
}

const makeProvider = (settings: OAuthSettings): (() => Promise<string>) => {
  let token: Token | undefined
  let asking: Promise<Token> | undefined
  const ask = async () => {
    try {
      token = await Effect.runPromise(fetchToken(settings))
      return token
    } finally {
      asking = undefined
    }
  }
  return async () => {
    const now = Effect.runSync(monotonicNow)
    if (token !== undefined && now < token.replaceAt) return token.text
    const present = token
    asking ??= ask()
    try {
      return (await asking).text
    } catch (error) {
      if (present !== undefined && now < present.endsAt) return present.text
      throw error
    }
  }
}

const providers = new WeakMap<OAuthSettings, () => Promise<string>>()

/** Gives a token that is valid now. All callers with the same settings share it. */
export const tokenProvider = (settings: OAuthSettings): (() => Promise<string>) => {
  const made = providers.get(settings) ?? makeProvider(settings)
  providers.set(settings, made)
  return made
}
