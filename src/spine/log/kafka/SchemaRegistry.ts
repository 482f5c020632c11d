/**
 * Registers the schemas of the public topics at a registry with Confluent's HTTP API, each as subject `<topic>-value`.
 * A new version of a schema must be able to read all records written with earlier ones; otherwise the registry refuses
 * it, and the start fails. A schema that the registry loses later is registered again. Error messages name the registry's
 * host, never its user and password.
 */

import { Cause, Duration, Effect, Predicate, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { failureCode, failureText, isUntrusted } from "../../domain/ConnectionFailure.ts"
import { publishedSchemas } from "../../event/JsonSchemas.ts"
import type { JsonObject } from "../../event/Ledger.ts"
import type { Network } from "../../event/Network.ts"
import { seconds } from "../../words/Words.ts"
import { logLimits } from "../Limits.ts"
import { schemaOf, type TopicSettings, usedTopics } from "../Topics.ts"

const TOO_MANY = 429

/** Characters of a registry's error that are shown. */
const REASON_CHARACTERS = 300

/**
 * Allows new optional fields and event types. Not FULL: the published schemas refuse unknown fields, so an earlier
 * schema cannot read a new field. Transitive, because a topic contains records of many earlier versions.
 */
const COMPATIBILITY = "BACKWARD_TRANSITIVE"

export class SchemaRegistryError extends Schema.TaggedError<SchemaRegistryError>()("SchemaRegistryError", {
  message: Schema.String,
  /** Why the registry does not answer. */
  cause: Schema.optional(Schema.Defect())
}) {}

const Registered = Schema.fromJsonString(Schema.Struct({ id: Schema.Int }))
const Found = Schema.fromJsonString(Schema.Struct({ schema: Schema.fromJsonString(Schema.Json) }))
const Compatibility = Schema.fromJsonString(Schema.Struct({ compatibilityLevel: Schema.String }))
const Verdict = Schema.fromJsonString(Schema.Struct({ is_compatible: Schema.Boolean }))
const Refusal = Schema.fromJsonString(Schema.Struct({ message: Schema.String }))

/** The registry answered 409: the request is not compatible with the subject. */
class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { reason: Schema.String }) {}

/** The registry's message as one short line: some registries repeat whole schemas. */
const reasonIn = (body: string): string => {
  const said = Schema.decodeUnknownOption(Refusal)(body)
  const line = (said._tag === "Some" ? said.value.message : body).replace(/\s+/g, " ").trim()
  return line.length > REASON_CHARACTERS ? `${line.slice(0, REASON_CHARACTERS)}…` : line
}

const schemaIn = (document: JsonObject) =>
  HttpClientRequest.bodyJsonUnsafe({ schemaType: "JSON", schema: JSON.stringify(document) })

/** A certificate that is refused is named: the registry was reached, and waiting for it would not help. */
const unreachable = (error: unknown): string => {
  const code = failureCode(error)
  if (code === undefined) return "cannot be reached"
  const text = failureText(code)
  const advice = isUntrusted(code) ? "; to trust it, name its authority's file in NODE_EXTRA_CA_CERTS" : ""
  return text.startsWith("TLS")
    ? `was reached, but is not accepted: ${text}${advice}`
    : `cannot be reached: ${text}`
}

/** A client of the registry. User and password of the address are sent in a header. */
const registryAt = (address: string) => {
  const url = new URL(address)
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  url.username = ""
  url.password = ""
  const base = url.href.replace(/\/$/, "")
  const fault = (what: string, cause?: Error) =>
    new SchemaRegistryError({ message: `SCHEMA_REGISTRY_URL: the registry at ${url.host} ${what}.`, cause })

  /** Sends a request. Fails if the registry cannot be reached, or refuses user and password. */
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
      const body = yield* response.text
      // It is starting, elects a leader, or is overloaded: a start waits for it.
      if (status >= 500 || status === TOO_MANY)
        return yield* fault(`cannot answer now (HTTP ${status}: ${reasonIn(body)})`, new Cause.TimeoutError())
      return { status, body }
    },
    Effect.timeout(Duration.millis(logLimits.kafkaRequestMs)),
    Effect.catchTags({
      HttpClientError: (error) => Effect.fail(fault(unreachable(error), error)),
      TimeoutError: (error) =>
        Effect.fail(fault(`did not answer within ${seconds(logLimits.kafkaRequestMs)}`, error))
    })
  )

  /** Returns the body of a 200 answer. */
  const ask = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const { status, body } = yield* exchange(request)
    if (status === 200) return body
    if (status === 409) return yield* new Conflict({ reason: reasonIn(body) })
    return yield* fault(`answered ${request.method} ${request.url} with HTTP ${status} (${reasonIn(body)})`)
  })

  /** Returns the decoded body of a 200 answer, or undefined for a 404. */
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
    /** A conflict means that another process sets it at the same time, so one retry is enough. */
    setCompatibility: (subject: string) =>
      ask(
        HttpClientRequest.put(`/config/${subject}`).pipe(
          HttpClientRequest.bodyJsonUnsafe({ compatibility: COMPATIBILITY })
        )
      ).pipe(
        Effect.retry({ times: 1, while: (error) => error instanceof Conflict }),
        Effect.catchTag("Conflict", ({ reason }) =>
          Effect.fail(fault(`does not accept ${COMPATIBILITY} for ${subject} (${reason})`))
        )
      ),
    /** Registers the schema and returns its id. If it is registered already, the id stays the same. */
    register: (subject: string, document: JsonObject) =>
      ask(HttpClientRequest.post(`/subjects/${subject}/versions`).pipe(schemaIn(document))).pipe(
        Effect.catchTag("Conflict", ({ reason }) =>
          Effect.fail(
            fault(
              `refuses this version's schema of ${subject}, because it cannot read records of the registered ones (${reason}). Run the version that registered the newest schema, or set another KAFKA_TOPIC_PREFIX`
            )
          )
        ),
        Effect.flatMap((answer) =>
          Effect.mapError(Schema.decodeUnknownEffect(Registered)(answer), () =>
            fault(`answered without the schema id of ${subject}`)
          )
        ),
        Effect.map(({ id }) => id)
      ),
    /** The id of exactly this schema; undefined: it is not registered. */
    idOf: (subject: string, document: JsonObject) =>
      Effect.map(
        find(HttpClientRequest.post(`/subjects/${subject}`).pipe(schemaIn(document)), Registered),
        (found) => found?.id
      ),
    /** The schema that has the id; undefined: there is none. */
    byId: (id: number) =>
      Effect.map(find(HttpClientRequest.get(`/schemas/ids/${id}`), Found), (found) => found?.schema),
    /** Whether the schema is compatible with the newest registered one; undefined: there is none. */
    accepts: (subject: string, document: JsonObject) =>
      Effect.map(
        find(
          HttpClientRequest.post(`/compatibility/subjects/${subject}/versions/latest`).pipe(
            schemaIn(document)
          ),
          Verdict
        ),
        (found) => found?.is_compatible
      ),
    /** The compatibility level of the subject; undefined: it has none of its own. */
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

type Used = Pick<TopicSettings, "rawTransactions">

/** The public topics with their subjects. `prefix`: KAFKA_TOPIC_PREFIX. */
const subjectsOf = (prefix: string, networks: ReadonlyArray<Network>, used: Used) =>
  usedTopics(networks, used)
    .filter((topic) => schemaOf(topic) !== null)
    .map((topic) => ({ topic, subject: `${prefix}${topic}-value` }))

type Registry = ReturnType<typeof registryAt>

const registerOne = (
  registry: Registry,
  { subject, topic }: { readonly subject: string; readonly topic: string }
) => Effect.andThen(registry.setCompatibility(subject), registry.register(subject, documentOf(topic)))

/** Registers the schemas of the public topics and returns their ids by topic. Two processes may do this at once. */
export const registerSchemas = (
  address: string,
  prefix: string,
  networks: ReadonlyArray<Network>,
  used: Used = { rawTransactions: false }
): Effect.Effect<Map<string, number>, SchemaRegistryError> =>
  Effect.gen(function* () {
    const registry = registryAt(address)
    const ids = new Map<string, number>()
    for (const one of subjectsOf(prefix, networks, used))
      ids.set(one.topic, yield* registerOne(registry, one))
    return ids
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** Registers again what the registry has lost, and corrects `ids`: a registry that was emptied may give other ids. */
export const restoreSchemas = (
  address: string,
  prefix: string,
  networks: ReadonlyArray<Network>,
  used: Used,
  ids: Map<string, number>
): Effect.Effect<void, SchemaRegistryError> =>
  Effect.gen(function* () {
    const registry = registryAt(address)
    const [lost, moved]: [Array<string>, Array<string>] = [[], []]
    for (const one of subjectsOf(prefix, networks, used)) {
      const found = yield* registry.idOf(one.subject, documentOf(one.topic))
      if (found === undefined) lost.push(one.subject)
      const id = found ?? (yield* registerOne(registry, one))
      const before = ids.get(one.topic)
      ids.set(one.topic, id)
      if (before !== id) moved.push(`${one.subject} ${id} instead of ${before}`)
    }
    if (lost.length > 0)
      yield* Effect.logWarning(
        `the schema registry had lost ${lost.length} of ${ids.size} schemas, and they are registered again`
      )
    if (moved.length > 0)
      yield* Effect.logWarning(
        `the schema registry has given other ids (${moved.join(", ")}); earlier records name the old ones, so restore its data for readers that look them up`
      )
  }).pipe(Effect.provide(FetchHttpClient.layer))

export interface SubjectState {
  readonly subject: string
  /** Whether this version's schema is registered. */
  readonly registered: boolean
  /** Whether the schema of any version is registered. */
  readonly known: boolean
  /** Whether it is registered or would be accepted. */
  readonly accepted: boolean
  /** Whether the subject has the compatibility level that `registerSchemas` sets. */
  readonly strict: boolean
}

/** The state of each subject. Changes nothing. */
export const examineSchemas = (
  address: string,
  prefix: string,
  networks: ReadonlyArray<Network>,
  used: Used = { rawTransactions: false }
): Effect.Effect<ReadonlyArray<SubjectState>, SchemaRegistryError> =>
  Effect.forEach(
    subjectsOf(prefix, networks, used),
    Effect.fnUntraced(function* ({ topic, subject }) {
      const registry = registryAt(address)
      const document = documentOf(topic)
      const registered = (yield* registry.idOf(subject, document)) !== undefined
      const compatible = registered || (yield* registry.accepts(subject, document))
      const state: SubjectState = {
        subject,
        registered,
        known: compatible !== undefined,
        accepted: compatible ?? true,
        strict: (yield* registry.compatibilityOf(subject)) === COMPATIBILITY
      }
      return state
    })
  ).pipe(Effect.provide(FetchHttpClient.layer))

/** Whether the registry finds a schema of this topic, of any version, by the id that a record names. */
export const findsSchema = (
  address: string,
  topic: string,
  id: number
): Effect.Effect<boolean, SchemaRegistryError> =>
  Effect.map(registryAt(address).byId(id), (schema) => {
    const own = documentOf(topic)["$id"]
    return Predicate.isObject(schema) && "$id" in schema && schema.$id === own
  }).pipe(Effect.provide(FetchHttpClient.layer))
