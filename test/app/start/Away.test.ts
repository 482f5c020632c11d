/** Which failures of a start are waited for, by the errors that Node, PostgreSQL's driver and Kafka's client give. */
import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"
import { SqlError } from "effect/sql"
import { awayOf } from "../../../src/app/start/Away.ts"
import { KafkaTopicsError } from "../../../src/spine/log/kafka/ClusterTopics.ts"
import { SchemaRegistryError } from "../../../src/spine/log/kafka/SchemaRegistry.ts"
import { OtherLog } from "../../../src/spine/store/LogIdentity.ts"
import { MigrationsError } from "../../../src/spine/store/Migrations.ts"
import { DatabaseError } from "../../../src/spine/store/Sql.ts"

const coded = (code: string, message = code, more: object = {}): Error =>
  Object.assign(new Error(message), { code, ...more })
const caused = (code: string, cause: Error): Error => Object.assign(new Error(code, { cause }), { code })

const sqlError = (cause: Error) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause,
      message: "PgConnection: Failed to connect",
      operation: "connect"
    })
  })
const database = (cause: Error) =>
  new DatabaseError({ message: "DATABASE_URL: db/x.", cause: sqlError(cause) })

/** The client tries four times, and each broker each time. */
const kafka = (...tries: ReadonlyArray<Error>) =>
  new KafkaTopicsError({
    message: "KAFKA_BROKERS: connecting failed.",
    cause: Object.assign(
      new AggregateError(
        tries.map((one) => Object.assign(new AggregateError([one]), { code: "PLT_KFK_MULTIPLE" }))
      ),
      { code: "PLT_KFK_MULTIPLE" }
    )
  })
const unconnected = (cause: Error) => caused("PLT_KFK_NETWORK", cause)
const closed = coded("PLT_KFK_NETWORK", "Connection closed")
const answer = (canRetry: boolean) =>
  Object.assign(new AggregateError([coded("PLT_KFK_PROTOCOL", "an error of the protocol", { canRetry })]), {
    code: "PLT_KFK_RESPONSE"
  })

const away: Readonly<Record<string, readonly [error: unknown, name: string]>> = {
  "PostgreSQL refuses connections": [database(coded("ECONNREFUSED")), "PostgreSQL"],
  "PostgreSQL's host has no address": [database(coded("ENOTFOUND")), "PostgreSQL"],
  "DNS does not answer": [database(coded("EAI_AGAIN")), "PostgreSQL"],
  "the address is not routed": [database(coded("EHOSTUNREACH")), "PostgreSQL"],
  "all addresses of PostgreSQL fail": [
    database(
      Object.assign(new AggregateError([coded("ECONNREFUSED"), coded("ETIMEDOUT")]), { code: "ECONNREFUSED" })
    ),
    "PostgreSQL"
  ],
  "PostgreSQL is starting up": [database(coded("57P03")), "PostgreSQL"],
  "PostgreSQL is shutting down": [database(coded("57P01")), "PostgreSQL"],
  "PostgreSQL has no connection left": [database(coded("53300")), "PostgreSQL"],
  "a pooler has no server": [database(coded("08P01", "server login has been failing")), "PostgreSQL"],
  "a proxy has no server": [database(new Error("Connection closed unexpectedly")), "PostgreSQL"],
  "PostgreSQL does not answer": [
    new DatabaseError({ message: "DATABASE_URL: db/x does not answer.", cause: new Cause.TimeoutError() }),
    "PostgreSQL"
  ],
  "PostgreSQL ends during the migrations": [
    new MigrationsError({ message: "not migrated", cause: sqlError(coded("57P01")) }),
    "PostgreSQL"
  ],
  "PostgreSQL ends during the start": [sqlError(new Error("Connection closed")), "PostgreSQL"],
  "Kafka refuses connections": [kafka(unconnected(coded("ECONNREFUSED"))), "Kafka"],
  "Kafka's hosts have no addresses": [kafka(unconnected(coded("ENOTFOUND"))), "Kafka"],
  "Kafka does not accept a connection in time": [
    kafka(coded("PLT_KFK_NETWORK", "Connection timed out.")),
    "Kafka"
  ],
  "Kafka stops while it is asked": [kafka(closed, unconnected(coded("ECONNREFUSED"))), "Kafka"],
  "Kafka stops during a login": [
    kafka(unconnected(caused("PLT_KFK_AUTHENTICATION", closed)), unconnected(coded("ECONNREFUSED"))),
    "Kafka"
  ],
  "Kafka elects a controller": [kafka(answer(true)), "Kafka"],
  "Kafka does not answer": [
    new KafkaTopicsError({ message: "KAFKA_BROKERS: no answer.", cause: new Cause.TimeoutError() }),
    "Kafka"
  ],
  "the registry refuses connections": [
    new SchemaRegistryError({
      message: "cannot be reached",
      cause: new TypeError("x", { cause: coded("ECONNREFUSED") })
    }),
    "the schema registry"
  ]
}

const final: Readonly<Record<string, unknown>> = {
  "a pooler that refuses a parameter": database(coded("08P01", "unsupported startup parameter: options")),
  "a wrong password of PostgreSQL": database(coded("28P01")),
  "a user without the right to connect": database(coded("42501")),
  "an unknown database": database(coded("3D000")),
  "a disk that PostgreSQL cannot read": database(coded("58030")),
  "a PostgreSQL without TLS": database(new Error("The server does not support TLS")),
  "a certificate of PostgreSQL that is not trusted": database(coded("DEPTH_ZERO_SELF_SIGNED_CERT")),
  "a PostgreSQL that is too old": new DatabaseError({ message: "DATABASE_URL: db is PostgreSQL 14." }),
  "a database of a newer version": new MigrationsError({ message: "migrated by a newer version" }),
  "another log": new OtherLog({ message: "KAFKA_BROKERS: another log" }),
  "a wrong password of Kafka": kafka(unconnected(caused("PLT_KFK_AUTHENTICATION", answer(false)))),
  "a right that Kafka does not give": kafka(answer(false)),
  "a Kafka that expects TLS": new KafkaTopicsError({ message: "x", cause: coded("PLT_KFK_USER") }),
  "a Kafka without TLS": kafka(unconnected(caused("PLT_KFK_USER", coded("ECONNRESET")))),
  "a certificate of Kafka that is not trusted": kafka(unconnected(coded("SELF_SIGNED_CERT_IN_CHAIN"))),
  "one of two brokers with a wrong certificate": kafka(
    unconnected(coded("ECONNREFUSED")),
    unconnected(coded("CERT_HAS_EXPIRED"))
  ),
  "a Kafka that closes each connection, because it expects a login or a certificate": kafka(closed, closed),
  "a registry that refuses a schema": new SchemaRegistryError({ message: "refuses this version's schema" }),
  "a defect": new Error("unexpected")
}

describe("a start that fails", () => {
  for (const [what, [error, name]] of Object.entries(away))
    it(`waits if ${what}`, () => assert.strictEqual(awayOf(error)?.name, name))

  for (const [what, error] of Object.entries(final))
    it(`ends because of ${what}`, () => assert.isUndefined(awayOf(error)))
})
