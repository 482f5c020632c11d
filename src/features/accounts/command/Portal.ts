/** `ledgerhook portal ACCOUNT`: a link that signs in to the dashboard once. */

import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Settings } from "../../../spine/config/Config.ts"
import { signInUrl } from "../../../spine/domain/Session.ts"
import { type KeyEnvironment, keyEnvironments } from "../../../spine/event/Network.ts"
import { iso } from "../../../spine/words/IsoTime.ts"
import { failed } from "../../../terminal/Failure.ts"
import { withDefault } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { Invocation, settings } from "../../../terminal/Invocation.ts"
import { accountArgument } from "../../../terminal/Stores.ts"
import { serviceUrl } from "../../../terminal/service/ServiceTarget.ts"
import { json, printOne } from "../../../terminal/Table.ts"
import { ApiKeyStore } from "../ApiKeyStore.ts"
import { accountBounds } from "../Limits.ts"
import { SessionStore } from "../SessionStore.ts"
import { findAccount, stores } from "./AccountStores.ts"

export const portal = Command.make(
  "portal",
  {
    account: accountArgument,
    environment: Flag.Literals("environment", keyEnvironments).pipe(
      withDefault<KeyEnvironment>("live", "live sees mainnet, test sees testnet and devnet")
    ),
    json
  },
  Effect.fnUntraced(function* ({ account, environment, json: asJson }) {
    const service = yield* serviceUrl((yield* Invocation).environment, yield* Settings)
    yield* Effect.gen(function* () {
      yield* findAccount(account)
      const now = yield* Clock.currentTimeMillis
      const keyId = yield* (yield* ApiKeyStore).keyForLinks(account, environment, now)
      const { makeLink } = yield* SessionStore
      const link = yield* makeLink(keyId, environment, now).pipe(
        Effect.catchTag("SessionLimit", () =>
          Effect.fail(
            failed(
              `the account has ${accountBounds.sessionsPerKey} sessions and unused links, and may have no more; a link ends after 10 minutes, a session after 12 hours or when its viewer signs out`
            )
          )
        )
      )
      const url = signInUrl(service, link)
      const validUntil = iso(now + accountBounds.signInLinkMs)
      yield* printOne({
        json: asJson,
        fields: [
          ["account", account],
          ["environment", environment],
          ["valid until", validUntil],
          ["link", url]
        ],
        value: { account_id: account, environment, key_id: keyId, valid_until: validUntil, url },
        note: "It signs in once, for 12 hours. It is not stored and cannot be shown again."
      })
    }).pipe(Effect.provide(stores("portal")))
  })
).pipe(
  Command.provide(settings),
  about(
    "Print a link that signs in to an account's dashboard",
    "Print a link that signs in to the dashboard of an account: once, within 10 minutes, for 12 hours, with every scope. The sessions stand for one key of the account, `sign-in links`, whose value nobody has: revoking it ends all of them. The link begins with LEDGERHOOK_URL, the address of the service for browsers; without it, with the address of HOST and PORT.",
    {
      "ledgerhook portal acct_01K…": "A link for a person who has no key",
      "LEDGERHOOK_URL=https://hooks.example.com ledgerhook portal acct_01K… | jq -r .url":
        "Only the link, for a page of your own that embeds the dashboard",
      "ledgerhook portal acct_01K… --environment test": "A session that sees testnet and devnet"
    }
  )
)
