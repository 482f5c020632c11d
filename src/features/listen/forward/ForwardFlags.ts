/** The flags of `listen --forward`, and the checks of their combinations. */
import { Effect } from "effect"
import { Flag } from "effect/cli"
import type { Environment } from "../../../spine/config/Config.ts"
import { type WrongUsage, wrongUsage } from "../../../terminal/Failure.ts"
import { optional, optionalText } from "../../../terminal/Flags.ts"
import {
  API_URL,
  DEFAULT_URL,
  httpUrl,
  KEY_VARIABLE,
  type Target,
  targetOf,
  URL_VARIABLE
} from "../../../terminal/service/ServiceTarget.ts"
import type { StreamQuery } from "../../events/follow/StreamClient.ts"
import { type StreamGiven, streamFlags, streamQuery } from "../../events/follow/StreamFlags.ts"

export const forwardFlags = {
  forward: Flag.String("forward").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(
      "Post live events of a service to this address on your machine, instead of waiting for webhooks"
    ),
    Flag.filterMap(httpUrl, () => "an http or https URL without a user name, as http://localhost:3000/hook"),
    optional
  ),
  url: Flag.String("url").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(
      `With --forward: the address of the service's API (default: ${URL_VARIABLE}, or ${DEFAULT_URL})`
    ),
    Flag.filterMap(httpUrl, () => API_URL),
    optional
  ),
  apiKey: optionalText(
    "api-key",
    "KEY",
    `With --forward: an API key with the scope events:read (default: the environment variable ${KEY_VARIABLE})`
  ),
  ...streamFlags((text) => `With --forward: ${text}`)
}

interface Given extends StreamGiven {
  readonly forward: URL | undefined
  readonly url: URL | undefined
  readonly apiKey: string | undefined
}

export interface Forwarding {
  /** The address to which events are posted. */
  readonly to: URL
  /** The API whose event stream is read. */
  readonly api: Target
  readonly query: StreamQuery
}

/** Undefined without --forward. */
export const forwardOf = Effect.fnUntraced(function* (
  given: Given,
  environment: Environment
): Effect.fn.Return<Forwarding | undefined, WrongUsage> {
  const { account, apiKey, forward: to, include, network, types, url } = given
  if (to === undefined) {
    const isGiven = {
      url: url !== undefined,
      "api-key": apiKey !== undefined,
      type: types.length > 0,
      account: account !== undefined,
      network: network !== undefined,
      include: include.length > 0
    }
    const name = Object.entries(isGiven).find(([, given]) => given)?.[0]
    if (name === undefined) return undefined
    return yield* wrongUsage(`--${name} needs --forward, the address that events are posted to.`)
  }
  const needs = `--forward needs an API key with the scope events:read, in --api-key or in ${KEY_VARIABLE}.`
  const api = yield* targetOf(environment, { url, key: apiKey }, needs)
  return { to, api, query: streamQuery(given) }
})
