/** A PostgreSQL that lets only clients with a certificate in, by the parameters of libpq in DATABASE_URL. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { runCommand } from "../support/program/command.ts"
import { startService } from "../support/program/serviceProcess.ts"
import { certificates } from "../support/servers/certificates.ts"
import { postgresPrograms, startSystemPostgres } from "../support/store/systemPostgres.ts"

/** The common name of the certificate, and so the role. */
const ROLE = "localhost"

const secured = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-tls-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  // The server runs as another user.
  chmodSync(folder, 0o755)
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { localhost, other } = certificates
  const files = {
    sslrootcert: file("authority.pem", localhost.cert),
    sslcert: file("client.pem", localhost.cert),
    sslkey: file("client.key", localhost.key)
  }
  const otherCert = file("other.pem", other.cert)
  const server = join(folder, "server")
  const { PGPORT } = yield* startSystemPostgres(server, { ...localhost, clientAuthority: localhost.cert })
  const admin = yield* PgClient.make({
    path: join(server, `.s.PGSQL.${PGPORT}`),
    username: "ledgerhook",
    database: "postgres",
    maxConnections: 1
  })
  yield* admin`CREATE ROLE ${admin(ROLE)} LOGIN`
  yield* admin`CREATE DATABASE ledgerhook OWNER ${admin(ROLE)}`
  const urlWith = (parameters: Readonly<Record<string, string>>) =>
    `postgres://${ROLE}@127.0.0.1:${PGPORT}/ledgerhook?${new URLSearchParams(parameters)}`
  return { admin, files, folder, otherCert, urlWith }
}).pipe(Effect.provide(Reactivity.layer))

describe.skipIf(postgresPrograms === undefined)("a PostgreSQL that wants a client certificate", () => {
  it.live(
    "is used by commands and by every connection of a service, and each fault gives one sentence",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { admin, files, folder, otherCert, urlWith } = yield* secured
          const migrate = (parameters: Readonly<Record<string, string>>) =>
            runCommand(["migrate"], { environment: { DATABASE_URL: urlWith(parameters) } })
          const full = { sslmode: "verify-full", ...files }
          const { sslcert, sslkey, sslrootcert } = files
          for (const [parameters, sentence] of [
            [{ sslmode: "verify-full", sslrootcert }, "connection requires a valid client certificate"],
            [{ ...full, sslrootcert: otherCert }, "self-signed certificate"],
            [{ ...full, sslkey: "/none.key" }, "sslkey: the file /none.key cannot be read (ENOENT)"],
            [{ sslmode: "verify-full", sslcert }, "sslcert needs sslkey too"],
            [{ sslmode: "prefer", sslcert, sslkey }, "sslcert needs sslmode=verify-full"],
            [{ sslmode: "strict" }, "sslmode is not one of disable, allow, prefer"],
            [{ ...full, sslcrl: "/crl.pem" }, "sslcrl is not supported; leave it out"],
            [{ ...full, channel_binding: "require" }, "channel_binding is not supported; leave it out"]
          ] as const) {
            const { code, stderr } = yield* migrate(parameters)
            assert.strictEqual(code, 1, sentence)
            assert.match(stderr, /^ledgerhook: DATABASE_URL: [^\n]+\.\n$/)
            assert.include(stderr, sentence)
          }
          const migrated = yield* migrate(full)
          assert.strictEqual(migrated.code, 0, migrated.stderr)

          yield* startService({ DATABASE_URL: urlWith(full), DATA_DIR: folder, XRPL_MAINNET_URLS: "" })
          const sessions = yield* admin<{ readonly query: string; readonly name: string | null }>`
            SELECT query, client_dn AS name FROM pg_stat_activity LEFT JOIN pg_stat_ssl USING (pid)
            WHERE usename = ${ROLE}`
          assert.isTrue(sessions.some(({ query }) => query.startsWith("LISTEN")))
          assert.deepStrictEqual([...new Set(sessions.map(({ name }) => name))], ["/CN=localhost"])
        })
      ),
    120_000
  )
})
