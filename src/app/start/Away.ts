/**
 * Decides whether a start that failed should wait: something that it needs is away, and will come back without a change
 * of settings. Everything else is final: a wrong password, an unknown database, a refusal of TLS, missing rights, another
 * log, a newer database. Pure.
 */
import { Cause, Predicate } from "effect"
import { errorText } from "../../spine/observe/Logging.ts"
import { MigrationsError } from "../../spine/store/Migrations.ts"
import { DatabaseError } from "../../spine/store/Sql.ts"

export interface Away {
  /** The part of `/readyz`. */
  readonly part: "database" | "log" | "registry"
  readonly name: string
  /** One sentence, without secrets. */
  readonly detail: string
}

/** Of the system: no connection, no answer, no address. */
const NETWORK = new Set([
  ..."ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN".split(
    " "
  ),
  ..."ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT UND_ERR_SOCKET".split(" ")
])

/** Of PostgreSQL: connection exceptions, a standby, insufficient resources, and shutdown or start under way. */
const SQL_STATE = /^(?:08...|25006|53...|57P0[123])$/

/** PostgreSQL says why it closes a connection, so this was a proxy whose server is away. The driver has no code for it. */
const CLOSED_BY_PROXY = /^Connection closed/

/** It also has the code of a pooler without a server. */
const REFUSED_BY_POOLER = /unsupported startup parameter/

/**
 * Kafka closes a connection without a word if it expects TLS, a login or a client certificate, and also when it stops. In
 * the second case the client's next try is refused. So this alone is final, and beside another cause it does not count.
 */
const CLOSED_BY_KAFKA = "Connection closed"

type Verdict = "away" | "closed" | "final"

const codeOf = (error: object): string => ("code" in error ? String(error.code) : "")

const causesOf = (error: object): ReadonlyArray<unknown> =>
  [
    ...("errors" in error && Array.isArray(error.errors) ? error.errors : []),
    "cause" in error ? error.cause : undefined,
    "reason" in error ? error.reason : undefined
  ].filter(Predicate.isObject)

const judgeInnermost = (error: object): Verdict => {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : ""
  if (REFUSED_BY_POOLER.test(message)) return "final"
  if (code === "PLT_KFK_NETWORK") return message === CLOSED_BY_KAFKA ? "closed" : "away"
  const passes =
    code === "PLT_KFK_PROTOCOL"
      ? "canRetry" in error && error.canRetry === true
      : Cause.isTimeoutError(error) ||
        NETWORK.has(code) ||
        SQL_STATE.test(code) ||
        (code === "" && CLOSED_BY_PROXY.test(message))
  return passes ? "away" : "final"
}

/** Verdicts on the innermost causes. */
const judge = (error: unknown): ReadonlyArray<Verdict> => {
  // Kafka's client found a wrong setting, and says so whatever the cause below.
  if (!Predicate.isObject(error) || codeOf(error) === "PLT_KFK_USER") return ["final"]
  const causes = causesOf(error)
  return causes.length === 0 ? [judgeInnermost(error)] : causes.flatMap(judge)
}

const isAway = (error: unknown): boolean => {
  const verdicts = judge(error)
  return verdicts.includes("away") && !verdicts.includes("final")
}

const whoseOf = (error: unknown): Omit<Away, "detail"> | undefined => {
  if (
    error instanceof DatabaseError ||
    error instanceof MigrationsError ||
    Predicate.isTagged(error, "SqlError")
  )
    return { part: "database", name: "PostgreSQL" }
  if (Predicate.isTagged(error, "KafkaTopicsError") || Predicate.isTagged(error, "LogError"))
    return { part: "log", name: "Kafka" }
  return Predicate.isTagged(error, "SchemaRegistryError")
    ? { part: "registry", name: "the schema registry" }
    : undefined
}

/** What the start has to wait for; undefined if the error is final. */
export const awayOf = (error: unknown): Away | undefined => {
  const whose = whoseOf(error)
  return whose !== undefined && isAway(error) ? { ...whose, detail: errorText(error) } : undefined
}
