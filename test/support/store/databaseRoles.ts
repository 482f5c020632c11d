/** The two PostgreSQL roles of docs/access.md, made with its statements. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { codeBlocks } from "../tree/markdown.ts"

const [creating = "", granting = ""] = codeBlocks("docs/access.md", "sql")

const statements = (block: string): ReadonlyArray<string> =>
  block.split(/;\n(?=CREATE|GRANT|DO|$)/).filter((statement) => statement.trim() !== "")

/** Makes the roles and their database on a server of the test's own. `url`: its superuser's. Returns their URLs. */
export const makeRoles = (url: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
      for (const statement of statements(creating)) yield* sql.unsafe(statement)
      const of = (role: string) => {
        const theirs = new URL(url)
        theirs.username = role
        theirs.pathname = "/ledgerhook"
        return theirs.href
      }
      return { owner: of("ledgerhook_owner"), runner: of("ledgerhook_service") }
    })
  ).pipe(Effect.provide(Reactivity.layer))

/** After a migration. `sql`: a connection of the owner. */
export const grantToRunner = (sql: SqlClient.SqlClient) =>
  Effect.forEach(statements(granting), (statement) => sql.unsafe(statement), { discard: true })
