/**
 * The public topics' schemas at a registry with Confluent's HTTP API, each under `<topic>-value`. A later schema must be
 * able to read all that was written under earlier ones: the registry refuses another, and that stops the start. What is
 * said of a failure names the registry's host, never what it takes to log in.
 */
import { Duration, Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Limits } from "../config/Limits.ts"
import { publishedSchemas } from "../domain/JsonSchemas.ts"
import type { JsonObject } from "../domain/Ledger.ts"
import type { Network } from "../domain/Network.ts"
import { namesOf, schemaOf } from "./Topics.ts"

/**
 * New optional fields and event types pass, other changes do not. Not FULL: published schemas refuse unknown fields, so
 * an earlier one cannot read a new field. Transitive, since a topic holds what 400 days of versions wrote.
 */
const COMPATIBILITY = "BACKWARD_TRANSITIVE"

export class SchemaRegistryError extends Schema.TaggedError<SchemaRegistryError>()("SchemaRegistryError", {
  message: Schema.String
}) {}

const Registered = Schema.fromJsonString(Schema.Struct({ id: Schema.Int }))
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

/** Its user and password go into a header. */
const registryAt = (address: string) => {
  const url = new URL(address)
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  url.username = ""
  url.password = ""
  const base = url.href.replace(/\/$/, "")
  const fault = (what: string) =>
    new SchemaRegistryError({ message: `SCHEMA_REGISTRY_URL: the registry at ${url.host} ${what}.` })

  /** The body of its answer. */
  const ask = Effect.fnUntraced(
    function* (request: HttpClientRequest.HttpClientRequest) {
      const client = yield* HttpClient.HttpClient
      const response = yield* client.execute(
        request.pipe(
          HttpClientRequest.prependUrl(base),
          username === "" ? (same) => same : HttpClientRequest.basicAuth(username, password)
        )
      )
      const body = yield* response.text
      if (response.status === 200) return body
      if (response.status === 409) return yield* new Conflict({ reason: reasonIn(body) })
      return yield* fault(
        response.status === 401 || response.status === 403
          ? `does not accept its user and password (HTTP ${response.status})`
          : `answered ${request.method} ${request.url} with HTTP ${response.status} (${reasonIn(body)})`
      )
    },
    Effect.timeout(Duration.millis(Limits.schemaRegistryMs)),
    Effect.catchTags({
      HttpClientError: () => Effect.fail(fault("cannot be reached")),
      TimeoutError: () => Effect.fail(fault(`gave no answer within ${Limits.schemaRegistryMs / 1_000} s`))
    })
  )

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
      ask(
        HttpClientRequest.post(`/subjects/${subject}/versions`).pipe(
          HttpClientRequest.bodyJsonUnsafe({ schemaType: "JSON", schema: JSON.stringify(document) })
        )
      ).pipe(
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
      )
  }
}

const documentOf = (topic: string): JsonObject => {
  const found = publishedSchemas().find(({ path }) => `schemas/${path}` === schemaOf(topic))
  if (found === undefined) throw new Error(`the schema of ${topic} in topics/topics.json is not published`)
  return found.document
}

/**
 * The public topics' schema ids, by topic; registered where they are new. `prefix` begins the topics' names on the
 * cluster, and so their subjects. Two processes may do it at once.
 */
export const registerSchemas = (
  address: string,
  prefix: string,
  networks: ReadonlyArray<Network>
): Effect.Effect<ReadonlyMap<string, number>, SchemaRegistryError> =>
  Effect.gen(function* () {
    const registry = registryAt(address)
    const ids = new Map<string, number>()
    for (const topic of namesOf(networks).filter((name) => schemaOf(name) !== null)) {
      const subject = `${prefix}${topic}-value`
      yield* registry.setCompatibility(subject)
      ids.set(topic, yield* registry.register(subject, documentOf(topic)))
    }
    return ids
  }).pipe(Effect.provide(FetchHttpClient.layer))
