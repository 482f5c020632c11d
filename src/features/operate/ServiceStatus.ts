/**
 * `GET /status`: the report of the whole service, as `ledgerhook status --json` prints it. It names hosts, so it is served
 * on OPS_PORT or, without that, to this machine only: not to whom a proxy on this machine serves, and not to a page in a
 * browser here that has made its own name lead to this port (DNS rebinding).
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

/** A proxy adds at least one of these. The caller behind it may be anywhere. */
const isForwarded = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(headers).some((name) => /^(?:forwarded|x-forwarded-.+|x-real-ip|via)$/.test(name))

/** `localhost:8080`, `127.0.0.1`, `[::1]:8080`. */
const isLoopbackHost = (host: string | undefined): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(URL.parse(`http://${host}`)?.hostname ?? "")

const isFromHere = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean =>
  Option.exists(remoteAddress, isLoopback) && !isForwarded(headers) && isLoopbackHost(headers["host"])

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
      if (settings.opsPort === undefined && !isFromHere(yield* HttpServerRequest.HttpServerRequest))
        return refusal(
          404,
          "NOT_FOUND",
          "Set OPS_PORT: without it, /status is served to this machine only, and not through a proxy."
        )
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
