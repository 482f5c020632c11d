/**
 * The public topics' schemas at a registry with Confluent's HTTP API, each under `<topic>-value`. A later schema must be
 * able to read all that was written under earlier ones: the registry refuses another, and that stops the start. What is
 * said of a failure names the registry's host, never what it takes to log in.
 */
import { Duration, Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Limits } from "../../config/Limits.ts"
import { publishedSchemas } from "../../domain/JsonSchemas.ts"
import type { JsonObject } from "../../domain/Ledger.ts"
import type { Network } from "../../domain/Network.ts"
import { namesOf, schemaOf } from "../Topics.ts"

/**
 * New optional fields and event types pass, other changes do not. Not FULL: published schemas refuse unknown fields, so
 * an earlier one cannot read a new field. Transitive, since a topic holds what 400 days of versions wrote.
 */
const COMPATIBILITY = "BACKWARD_TRANSITIVE"

export class SchemaRegistryError extends Schema.TaggedError<SchemaRegistryError>()("SchemaRegistryError", {
  message: Schema.String
}) {}

const Registered = Schema.fromJsonString(Schema.Struct({ id: Schema.Int }))
const Compatibility = Schema.fromJsonString(Schema.Struct({ compatibilityLevel: Schema.String }))
const Verdict = Schema.fromJsonString(Schema.Struct({ is_compatible: Schema.Boolean }))
const Refusal = Schema.fromJsonString(Schema.Struct({ message: Schema.String }))

/** The registry says no to what was asked, for a reason of the subject's. */
class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { reason: Schema.String }) {}

/** What the registry said, in one short line: some repeat whole schemas. */
const reasonIn = (body: string): string => {
  const said = Schema.decodeUnknownOption(Refusal)(body)
  const line = (said._tag === "Some" ? said.value.message : body).replace(/\s+/g, " ").trim()
  return line.length > Limits.schemaRegistryReasonLength
    ? `${line.slice(0, Limits.schemaRegistryReasonLength)}…`
    : line
}

const schemaIn = (document: JsonObject) =>
  HttpClientRequest.bodyJsonUnsafe({ schemaType: "JSON", schema: JSON.stringify(document) })

/** Its user and password go into a header. */
const registryAt = (address: string) => {
  const url = new URL(address)
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  url.username = ""
  url.password = ""
  const base = url.href.replace(/\/$/, "")
  const fault = (what: string) =>
    new SchemaRegistryError({ message: `SCHEMA_REGISTRY_URL: the registry at ${url.host} ${what}.` })

  /** Its answer, whatever it is, to one who may ask. */
  const exchange = Effect.fnUntraced(
    function* (request: HttpClientRequest.HttpClientRequest) {
      const client = yield* HttpClient.HttpClient
      const response = yield* client.execute(
        request.pipe(
          HttpClientRequest.prependUrl(base),
          username === "" ? (same) => same : HttpClientRequest.basicAuth(username, password)
        )
      )
      const { status } = response
      if (status === 401 || status === 403) {
        return yield* fault(`does not accept its user and password (HTTP ${status})`)
      }
      return { status, body: yield* response.text }
    },
    Effect.timeout(Duration.millis(Limits.schemaRegistryMs)),
    Effect.catchTags({
      HttpClientError: () => Effect.fail(fault("cannot be reached")),
      TimeoutError: () => Effect.fail(fault(`gave no answer within ${Limits.schemaRegistryMs / 1_000} s`))
    })
  )

  /** The body of what it does as asked. */
  const ask = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const { status, body } = yield* exchange(request)
    if (status === 200) return body
    if (status === 409) return yield* new Conflict({ reason: reasonIn(body) })
    return yield* fault(`answered ${request.method} ${request.url} with HTTP ${status} (${reasonIn(body)})`)
  })

  /** What it says of something, if it has it. */
  const find = Effect.fnUntraced(function* <A>(
    request: HttpClientRequest.HttpClientRequest,
    shape: Schema.Decoder<A>
  ) {
    const { status, body } = yield* exchange(request)
    if (status === 404) return undefined
    return yield* Effect.mapError(
      status === 200 ? Schema.decodeUnknownEffect(shape)(body) : Effect.fail(undefined),
      () => fault(`answered ${request.method} ${request.url} with HTTP ${status} (${reasonIn(body)})`)
    )
  })

  return {
    /** A conflict here is with another process that does the same: the second try finds it done. */
    setCompatibility: (subject: string) =>
      ask(
        HttpClientRequest.put(`/config/${subject}`).pipe(
          HttpClientRequest.bodyJsonUnsafe({ compatibility: COMPATIBILITY })
        )
      ).pipe(
        Effect.retry({ times: 1, while: (error) => error instanceof Conflict }),
        Effect.catchTag("Conflict", ({ reason }) =>
          Effect.fail(fault(`does not take ${COMPATIBILITY} for ${subject} (${reason})`))
        )
      ),
    /** The schema's id: the one it has, where it is registered already. */
    register: (subject: string, document: JsonObject) =>
      ask(HttpClientRequest.post(`/subjects/${subject}/versions`).pipe(schemaIn(document))).pipe(
        Effect.catchTag("Conflict", ({ reason }) =>
          Effect.fail(
            fault(
              `refuses this version's schema of ${subject}, which cannot read what earlier ones wrote (${reason}); run the version that registered the newest, or set another KAFKA_TOPIC_PREFIX`
            )
          )
        ),
        Effect.flatMap((answer) =>
          Effect.mapError(Schema.decodeUnknownEffect(Registered)(answer), () =>
            fault(`answered without the id of ${subject}`)
          )
        ),
        Effect.map(({ id }) => id)
      ),
    /** Whether it has this very schema. */
    has: (subject: string, document: JsonObject) =>
      Effect.map(
        find(HttpClientRequest.post(`/subjects/${subject}`).pipe(schemaIn(document)), Registered),
        (found) => found !== undefined
      ),
    /** Whether `register` would not be refused for what the subject has. */
    accepts: (subject: string, document: JsonObject) =>
      Effect.map(
        find(
          HttpClientRequest.post(`/compatibility/subjects/${subject}/versions/latest`).pipe(
            schemaIn(document)
          ),
          Verdict
        ),
        (found) => found?.is_compatible ?? true
      ),
    /** What new schemas are held to; undefined: nothing of the subject's own. */
    compatibilityOf: (subject: string) =>
      Effect.map(
        find(HttpClientRequest.get(`/config/${subject}`), Compatibility),
        (found) => found?.compatibilityLevel
      )
  }
}

const documentOf = (topic: string): JsonObject => {
  const found = publishedSchemas().find(({ path }) => `schemas/${path}` === schemaOf(topic))
  if (found === undefined) throw new Error(`the schema of ${topic} in topics/topics.json is not published`)
  return found.document
}

/** The public topics, with the subjects that `prefix`, which begins their names on the cluster, gives them. */
const subjectsOf = (prefix: string, networks: ReadonlyArray<Network>) =>
  namesOf(networks)
    .filter((topic) => schemaOf(topic) !== null)
    .map((topic) => ({ topic, subject: `${prefix}${topic}-value` }))

/** The public topics' schema ids, by topic; registered where they are new. Two processes may do it at once. */
export const registerSchemas = (
  address: string,
  prefix: string,
  networks: ReadonlyArray<Network>
): Effect.Effect<ReadonlyMap<string, number>, SchemaRegistryError> =>
  Effect.gen(function* () {
    const registry = registryAt(address)
    const ids = new Map<string, number>()
    for (const { topic, subject } of subjectsOf(prefix, networks)) {
      yield* registry.setCompatibility(subject)
      ids.set(topic, yield* registry.register(subject, documentOf(topic)))
    }
    return ids
  }).pipe(Effect.provide(FetchHttpClient.layer))

export interface SubjectState {
  readonly subject: string
  /** This version's schema is there. */
  readonly registered: boolean
  /** It is there, or would be taken. */
  readonly accepted: boolean
  /** Held to what `registerSchemas` holds it to. */
  readonly strict: boolean
}

/** What `registerSchemas` would find; changes nothing. */
export const examineSchemas = (
  address: string,
  prefix: string,
  networks: ReadonlyArray<Network>
): Effect.Effect<ReadonlyArray<SubjectState>, SchemaRegistryError> =>
  Effect.forEach(
    subjectsOf(prefix, networks),
    Effect.fnUntraced(function* ({ topic, subject }) {
      const registry = registryAt(address)
      const document = documentOf(topic)
      const registered = yield* registry.has(subject, document)
      const state: SubjectState = {
        subject,
        registered,
        accepted: registered || (yield* registry.accepts(subject, document)),
        strict: (yield* registry.compatibilityOf(subject)) === COMPATIBILITY
      }
      return state
    })
  ).pipe(Effect.provide(FetchHttpClient.layer))
