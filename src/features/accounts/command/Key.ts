/** `ledgerhook key …`: create, list and revoke API keys. A key's value is shown only when it is created. */

import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Scope, scopes } from "../../../spine/domain/ApiKey.ts"
import { type KeyEnvironment, keyEnvironments } from "../../../spine/event/Network.ts"
import { type AccountId, isId } from "../../../spine/words/Ids.ts"
import { iso, parseIsoTime } from "../../../spine/words/IsoTime.ts"
import { GREEN, RED } from "../../../terminal/Colour.ts"
import { failed, wrongUsage } from "../../../terminal/Failure.ts"
import { lineFlag, optional, withDefault } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { accountFlag } from "../../../terminal/Stores.ts"
import { type Column, json, printList, printOne } from "../../../terminal/Table.ts"
import { AccountStore } from "../AccountStore.ts"
import { type ApiKeyRow, ApiKeyStore } from "../ApiKeyStore.ts"
import { accountBounds } from "../Limits.ts"
import { findAccount, stores } from "./AccountStores.ts"

const moment = (at: string | null): string | null => (at === null ? null : iso(at))

const toJson = (key: ApiKeyRow, accountId: AccountId) => ({
  id: key.id,
  account_id: accountId,
  name: key.name,
  key_hint: key.key_hint,
  scopes: key.scopes,
  environment: key.environment,
  created_at: iso(key.created_at),
  expires_at: moment(key.expires_at),
  last_used_at: moment(key.last_used_at),
  revoked_at: moment(key.revoked_at)
})

const environmentsAll = { environments: keyEnvironments }

const status = ({ expires_at, revoked_at }: ApiKeyRow, nowMs: number): string =>
  revoked_at !== null
    ? "revoked"
    : expires_at !== null && Date.parse(iso(expires_at)) <= nowMs
      ? "expired"
      : "active"

const columns = (nowMs: number): ReadonlyArray<Column<ApiKeyRow>> => [
  { head: "ID", cell: ({ id }) => id },
  { head: "KEY", cell: ({ key_hint }) => key_hint },
  {
    head: "STATUS",
    cell: (key) => status(key, nowMs),
    colour: (key) => (status(key, nowMs) === "active" ? GREEN : RED)
  },
  { head: "CREATED", cell: ({ created_at }) => iso(created_at) },
  { head: "LAST USED", cell: ({ last_used_at }) => moment(last_used_at) ?? "never" },
  { head: "EXPIRES", cell: ({ expires_at }) => moment(expires_at) ?? "never" },
  { head: "NAME", cell: ({ name }) => name },
  { head: "SCOPES", cell: ({ scopes }) => scopes.join(",") }
]

/** Undefined if a scope is unknown. */
const scopesOf = (text: string): ReadonlyArray<Scope> | undefined => {
  const given = [...new Set(text.split(",").map((scope) => scope.trim()))]
  const known = scopes.filter((scope) => given.includes(scope))
  return known.length === given.length ? known : undefined
}

const create = Command.make(
  "create",
  {
    account: accountFlag,
    name: lineFlag("name", "Name that tells the key from others", accountBounds.nameLength),
    scopes: Flag.String("scopes").pipe(
      Flag.withDescription(
        `What the key may do: a comma-separated list of ${scopes.join(", ")} (all scopes)`
      ),
      Flag.filterMap(
        (text) => Option.fromNullishOr(scopesOf(text)),
        () => `a comma-separated list of ${scopes.join(", ")}`
      )
    ),
    environment: Flag.Literals("environment", keyEnvironments).pipe(
      withDefault<KeyEnvironment>("live", "live sees mainnet, test sees testnet and devnet")
    ),
    expiresAt: Flag.String("expires-at").pipe(
      Flag.withMetavar("TIME"),
      Flag.withDescription("When the key expires (default: never)"),
      Flag.filterMap(
        (text) => Option.fromNullishOr(parseIsoTime(text)),
        () => "an ISO 8601 date-time with an offset, such as 2027-01-01T00:00:00Z"
      ),
      optional
    ),
    json
  },
  Effect.fnUntraced(function* ({ account, name, scopes: granted, environment, expiresAt, json: asJson }) {
    const now = yield* Clock.currentTimeMillis
    if (expiresAt !== undefined && expiresAt <= now) {
      return yield* wrongUsage("--expires-at is in the past; give a time in the future.")
    }
    yield* Effect.gen(function* () {
      yield* findAccount(account)
      const keys = yield* ApiKeyStore
      const made = yield* keys.create(
        {
          accountId: account,
          name,
          scopes: granted,
          environment,
          ...(expiresAt === undefined ? {} : { expiresAt })
        },
        now
      )
      // This can happen only if two keys have the same 32 random bytes.
      if (made === undefined) return yield* failed("no key was created; try again.")
      const key = {
        id: made.id,
        account_id: account,
        name,
        key: made.value,
        scopes: granted,
        environment,
        created_at: iso(now),
        expires_at: expiresAt === undefined ? null : iso(expiresAt)
      }
      yield* printOne({
        json: asJson,
        fields: [
          ["id", key.id],
          ["account", account],
          ["name", name],
          ["scopes", granted.join(",")],
          ["environment", environment],
          ["expires", key.expires_at ?? "never"],
          ["key", made.value]
        ],
        value: key,
        note: "Copy the key now. It is not stored and cannot be shown again."
      })
    }).pipe(Effect.provide(stores("key create")))
  })
).pipe(
  about(
    "Create an API key",
    "Create an API key for an account. Its value is printed only now, because only its hash is stored. In JSON it is the field `key`.",
    {
      "ledgerhook key create --account acct_01K… --name backend --scopes webhooks:read,webhooks:write":
        "A live key that manages webhooks",
      "ledgerhook key create --account acct_01K… --name trial --scopes admin --environment test --expires-at 2027-01-01T00:00:00Z":
        "A test key with every scope, which expires at New Year",
      "ledgerhook key create --account acct_01K… --name ci --scopes events:read | jq -r .key > key":
        "Write only the value to a file"
    }
  )
)

const list = Command.make(
  "list",
  { account: accountFlag, json },
  Effect.fnUntraced(function* ({ account, json: asJson }) {
    yield* findAccount(account)
    const keys = yield* ApiKeyStore
    yield* printList({
      json: asJson,
      page: (before: ApiKeyRow | undefined, limit) =>
        keys.list({ accountId: account, ...environmentsAll }, before?.id, limit),
      columns: columns(yield* Clock.currentTimeMillis),
      toJson: (key) => toJson(key, account),
      none: `The account has no key. Create one with \`ledgerhook key create --account ${account} --name NAME --scopes SCOPES\`.`
    })
  })
).pipe(
  Command.provide(stores("key list")),
  about(
    "List an account's API keys",
    "List an account's API keys, newest first, including expired and revoked ones. Of a key's value only the beginning and the last four characters are shown.",
    {
      "ledgerhook key list --account acct_01K…": "A table",
      "ledgerhook key list --account acct_01K… | jq -r '.[] | select(.last_used_at == null).id'":
        "Keys that were never used"
    }
  )
)

const revoke = Command.make(
  "revoke",
  {
    key: Argument.String("key").pipe(
      Argument.withDescription("The key's id, such as key_01K…; not its value")
    ),
    json
  },
  Effect.fnUntraced(function* ({ key: id, json: asJson }) {
    // Checked here and not by the argument: the parser's message would repeat the text, which may be a key's value.
    if (!isId("key_", id)) {
      return yield* wrongUsage(
        "the argument <key> takes a key's id (key_ and 26 characters), not its value; `ledgerhook key list --account ACCOUNT` shows it."
      )
    }
    yield* Effect.gen(function* () {
      const accounts = yield* AccountStore
      const owner = Option.getOrUndefined(yield* accounts.ofKey(id))
      if (owner === undefined) {
        return yield* failed(
          `there is no key ${id}; \`ledgerhook key list --account ACCOUNT\` shows the keys of an account.`
        )
      }
      const now = yield* Clock.currentTimeMillis
      yield* (yield* ApiKeyStore).revoke({ accountId: owner.account_id, ...environmentsAll }, id, now)
      const revokedAt = moment(owner.revoked_at) ?? iso(now)
      yield* printOne({
        json: asJson,
        fields: [
          ["id", id],
          ["account", owner.account_id],
          ["revoked", revokedAt]
        ],
        value: { id, account_id: owner.account_id, revoked_at: revokedAt },
        note: "Every later request with this key is refused."
      })
    }).pipe(Effect.provide(stores("key revoke")))
  })
).pipe(
  about("Revoke an API key", "Revoke an API key permanently. Every later request with it is refused.", {
    "ledgerhook key revoke key_01K…": "Revoke a key by its id, which `key list` shows"
  })
)

export const key = Command.make("key").pipe(
  Command.withDescription("Create, list and revoke API keys"),
  Command.withSubcommands([create, list, revoke])
)
