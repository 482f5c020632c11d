/**
 * `GET /status`: the report of the whole service, as `ledgerhook status --json` prints it. It names hosts, so it is served
 * on OPS_PORT or, without that, to this machine only.
 */
import { isIP } from "node:net"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { type ErrorCode, errorBody } from "../../http/Errors.ts"
import { Settings } from "../../spine/config/Config.ts"
import { shownReport } from "./model/ShownReport.ts"
import { readCurrentReport } from "./report/CurrentReport.ts"

export const STATUS_PATH = "/status"

const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && /^(?:127\.|::1$|::ffff:127\.)/.test(address)

const refusal = (status: number, code: ErrorCode, message: string) =>
  HttpServerResponse.jsonUnsafe(errorBody(code, message), { status })

export const statusLayer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    const sql = yield* SqlClient.SqlClient
    const read = readCurrentReport.pipe(
      Effect.provideService(Settings, settings),
      Effect.provideService(SqlClient.SqlClient, sql)
    )
    const answer = Effect.gen(function* () {
      const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
      if (settings.opsPort === undefined && !Option.exists(remoteAddress, isLoopback))
        return refusal(404, "NOT_FOUND", "Set OPS_PORT: without it, /status is served to this machine only.")
      const { processes, report } = yield* read
      return HttpServerResponse.jsonUnsafe(shownReport(report, processes))
    })
    yield* router.add(
      "GET",
      STATUS_PATH,
      Effect.catchTag(answer, "SqlError", () =>
        Effect.succeed(
          refusal(503, "UNAVAILABLE", "The database does not answer, so the report cannot be read.")
        )
      )
    )
  })
)
