/**
 * Which service the commands use: `LEDGERHOOK_URL` and `LEDGERHOOK_API_KEY`, from the environment or `.env`. Commands that
 * can also read the local database use a service only if `LEDGERHOOK_URL` is set. No output contains the key.
 */
import { Effect, Option } from "effect"
import type { Environment, SettingsShape } from "../../spine/config/Config.ts"
import { type WrongUsage, wrongUsage } from "../Failure.ts"
import { Invocation } from "../Invocation.ts"

export const URL_VARIABLE = "LEDGERHOOK_URL"
export const KEY_VARIABLE = "LEDGERHOOK_API_KEY"
export const DEFAULT_URL = "http://127.0.0.1:8080"

export interface Target {
  /** The API's URL, without `/v1`. */
  readonly url: string
  readonly key: string
}

export const httpUrl = (text: string): Option.Option<URL> => {
  const url = URL.parse(text)
  return url !== null && ["http:", "https:"].includes(url.protocol) && url.username === ""
    ? Option.some(url)
    : Option.none()
}

export const API_URL = "an http or https URL without a user name, as https://api.example.com"

const variable = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined

/** Whether a command that can use either uses a service instead of the local database. */
export const usesService = Effect.map(
  Invocation,
  ({ environment }) => variable(environment, URL_VARIABLE) !== undefined
)

/** Refuses a flag for the operator's own database: a key of a service sees one account. */
export const localOnly = (flag: string, value: string | undefined): Effect.Effect<void, WrongUsage> =>
  value === undefined
    ? Effect.void
    : Effect.fail(
        wrongUsage(
          `${flag} is for the local database, and ${URL_VARIABLE} is set; unset it, or leave out ${flag}.`
        )
      )

/** `given`: what flags say; flags win. */
export const targetOf = Effect.fnUntraced(function* (
  environment: Environment,
  given: { readonly url?: URL | undefined; readonly key?: string | undefined } = {},
  needs = `the command needs an API key of the service in ${KEY_VARIABLE}; the environment or .env can set it.`
): Effect.fn.Return<Target, WrongUsage> {
  const named = variable(environment, URL_VARIABLE) ?? DEFAULT_URL
  const url = given.url ?? Option.getOrUndefined(httpUrl(named))
  if (url === undefined) return yield* wrongUsage(`${URL_VARIABLE} must be ${API_URL}.`)
  const key = given.key ?? variable(environment, KEY_VARIABLE) ?? ""
  // Other characters are not allowed in a header.
  if (!/^[!-~]+$/.test(key)) return yield* wrongUsage(needs)
  return { url: url.href.replace(/\/+$/, ""), key }
})

/** The address of the local service for browsers: `LEDGERHOOK_URL`, otherwise that of `HOST` and `PORT`. */
export const serviceUrl = Effect.fnUntraced(function* (
  environment: Environment,
  { host, port }: Pick<SettingsShape, "host" | "port">
): Effect.fn.Return<string, WrongUsage> {
  const given = variable(environment, URL_VARIABLE)
  if (given === undefined && port === 0) {
    return yield* wrongUsage(
      `set ${URL_VARIABLE} to the address of the service: PORT is 0, so it is not known.`
    )
  }
  const reached = host.includes(":") ? `[${host}]` : host
  const url = Option.getOrUndefined(httpUrl(given ?? `http://${reached}:${port}`))
  if (url === undefined) return yield* wrongUsage(`${URL_VARIABLE} must be ${API_URL}.`)
  return url.href.replace(/\/+$/, "")
})
