/** The flags of `listen --forward`, and the checks of their combinations. */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { Environment } from "../../../config/Config.ts"
import { includables } from "../../../domain/Include.ts"
import { networks } from "../../../domain/Network.ts"
import { isEventPattern } from "../../../domain/WebhookRules.ts"
import { type WrongUsage, wrongUsage } from "../../terminal/Failure.ts"
import { optional, optionalText, several } from "../../terminal/Flags.ts"
import { addressFlag } from "../replay/Wanted.ts"

/** Read if --api-key is not given. Flags are visible to everyone who can list this machine's processes. */
const KEY_VARIABLE = "LEDGERHOOK_API_KEY"

const DEFAULT_URL = "http://127.0.0.1:8080"

const httpUrl = (text: string): Option.Option<URL> => {
  const url = URL.parse(text)
  return url !== null && ["http:", "https:"].includes(url.protocol) && url.username === ""
    ? Option.some(url)
    : Option.none()
}

const HTTP_URL = "an http or https URL without a user name, as http://localhost:3000/hook"

export const forwardFlags = {
  forward: Flag.String("forward").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(
      "Post live events of a service to this address on your machine, instead of waiting for webhooks"
    ),
    Flag.filterMap(httpUrl, () => HTTP_URL),
    optional
  ),
  url: Flag.String("url").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(`With --forward: the address of the service's API (default: ${DEFAULT_URL})`),
    Flag.filterMap(httpUrl, () => "an http or https URL, as https://api.example.com"),
    optional
  ),
  apiKey: optionalText(
    "api-key",
    "KEY",
    `With --forward: an API key with the scope events:read (default: the environment variable ${KEY_VARIABLE})`
  ),
  types: Flag.String("type").pipe(
    Flag.withMetavar("TYPE"),
    Flag.withDescription(
      "With --forward: only events of this type, as nft.minted, or family, as 'nft.*'; repeat it for several"
    ),
    Flag.filter(
      isEventPattern,
      () => "an event type or a family of them, as payment.xrp or nft.*; schemas/README.md lists them"
    ),
    several
  ),
  account: addressFlag("With --forward: only events that involve this XRPL address").pipe(optional),
  network: Flag.Literals("network", networks).pipe(
    Flag.withDescription("With --forward: testnet (default) or devnet, with a test key"),
    optional
  ),
  include: Flag.Literals("include", includables).pipe(
    Flag.withDescription("With --forward: add this to payloads; repeat it for both"),
    several
  )
}

interface Given {
  readonly forward: URL | undefined
  readonly url: URL | undefined
  readonly apiKey: string | undefined
  readonly types: ReadonlyArray<string>
  readonly account: string | undefined
  readonly network: string | undefined
  readonly include: ReadonlyArray<string>
}

export interface Forwarding {
  /** The address to which events are posted. */
  readonly to: URL
  /** The API whose event stream is read. */
  readonly api: { readonly url: string; readonly key: string; readonly query: URLSearchParams }
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
  const key = apiKey ?? environment[KEY_VARIABLE]?.trim() ?? ""
  // Other characters are not allowed in a header.
  if (!/^[!-~]+$/.test(key)) {
    return yield* wrongUsage(
      `--forward needs an API key with the scope events:read, in --api-key or in ${KEY_VARIABLE}.`
    )
  }
  const query = new URLSearchParams([
    ...types.map((type) => ["event_type", type]),
    ...include.map((one) => ["include", one])
  ])
  if (account !== undefined) query.set("account", account)
  if (network !== undefined) query.set("network", network)
  const api = { url: (url ?? new URL(DEFAULT_URL)).href.replace(/\/+$/, ""), key, query }
  return { to, api }
})
