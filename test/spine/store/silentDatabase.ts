/** The program's two pools through a proxy that can swallow answers. A statement may wait 2 s for its answer. */
import { Context, Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { ReadSql } from "../../../src/spine/store/Sql.ts"
import * as SqlPool from "../../../src/spine/store/SqlPool.ts"
import { databaseProxy } from "../../support/store/databaseProxy.ts"
import { databaseUrl, makeDatabase } from "../../support/store/postgres.ts"

export const throughProxy = Effect.fnUntraced(function* (
  maxConnections: number,
  bounds: SqlPool.PoolBounds = { answerMs: 2_000 }
) {
  const proxy = yield* databaseProxy
  const name = new URL(databaseUrl(yield* makeDatabase)).pathname.slice(1)
  const config = { ...proxy.connectionTo(name), maxConnections }
  const context = Context.make(SqlClient.SqlClient, yield* SqlPool.make("main", config, bounds)).pipe(
    Context.add(ReadSql, yield* SqlPool.make("read", { ...config, multiplex: true }, bounds))
  )
  return { proxy, context }
}, Effect.provide(Reactivity.layer))

export const isLost = ({ reason }: SqlError.SqlError): boolean => reason._tag === "ConnectionError"
