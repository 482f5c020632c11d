/**
 * Answers on the port of health while the start waits: `/healthz` says that the process is alive, `/readyz` and
 * `/readyz/traffic` what it waits for, with 503. Every other path gets 503. Its bodies are those of the API.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { errorBody } from "../../http/Errors.ts"
import { RETRY_SECONDS } from "../../http/Gate.ts"
import { listen } from "../../http/Listener.ts"
import { isProbe, pathOf } from "../../http/Paths.ts"
import type { PartHealth } from "../../spine/observe/Health.ts"
import type { Away } from "./Away.ts"

/** One sentence for the log, `/readyz` and systemd. */
export const sentenceOf = (waitsFor: ReadonlyArray<Away>): string =>
  `the start waits for ${waitsFor.map(({ name }) => name).join(" and ")}: ${waitsFor.map(({ detail }) => detail).join(" ")}`

const partsOf = (waitsFor: ReadonlyArray<Away>): Readonly<Record<string, PartHealth>> => ({
  start: { status: "starting", detail: sentenceOf(waitsFor) },
  ...Object.fromEntries(
    waitsFor.map(({ detail, part }): [string, PartHealth] => [part, { status: "failed", detail }])
  )
})

/** `waitsFor` is read at each request. */
export const waitingServer = (waitsFor: () => ReadonlyArray<Away>) => {
  const answer = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
    const path = pathOf(url)
    if (path === "/healthz") return HttpServerResponse.jsonUnsafe({ status: "ok" })
    const parts = partsOf(waitsFor())
    const [, part] = /^\/readyz\/(.+)$/.exec(path) ?? []
    const body = !isProbe(path)
      ? errorBody("UNAVAILABLE", "The service is starting. Try again in some seconds.")
      : {
          status: "unavailable",
          parts: part === undefined ? parts : { [part]: parts[part] ?? parts["start"] }
        }
    return HttpServerResponse.jsonUnsafe(body, {
      status: 503,
      headers: { "retry-after": String(RETRY_SECONDS), "cache-control": "no-store" }
    })
  })
  const routes = HttpRouter.use((router) => router.add("*", "*", answer))
  return listen(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }), "operator")
}
