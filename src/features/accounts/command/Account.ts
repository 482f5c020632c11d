/** `ledgerhook account …`: the operator's accounts, their plans, limits and suspension. */

import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { isEmail } from "../../../spine/domain/Email.ts"
import { CUSTOM_PLAN, type LimitOverrides, plans } from "../../../spine/domain/Plans.ts"
import { failed, wrongUsage } from "../../../terminal/Failure.ts"
import { lineFlag, optional, switchFlag } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { accountArgument } from "../../../terminal/Stores.ts"
import { json, printList, printOne } from "../../../terminal/Table.ts"
import { type Account, type AccountChange, AccountStore } from "../AccountStore.ts"
import { deleteAccount } from "../DeletedAccounts.ts"
import { accountBounds } from "../Limits.ts"
import { findAccount, newStores, noAccount, stores } from "./AccountStores.ts"
import { columns, fields, toJson } from "./AccountView.ts"

/** The largest limit that an account may have of its own. The database column holds no more. */
const OWN_LIMIT = 1_000_000_000

const show = (account: Account, asJson: boolean, note: string) =>
  printOne({ json: asJson, fields: fields(account), value: toJson(account), note })

const change = Effect.fnUntraced(function* (id: string, what: AccountChange, asJson: boolean, note: string) {
  const changed = yield* (yield* AccountStore).change(id, what, yield* Clock.currentTimeMillis)
  if (Option.isNone(changed)) return yield* noAccount(id)
  yield* show(changed.value, asJson, note)
})

const planArgument = Argument.Literals("plan", plans).pipe(Argument.withDescription(plans.join(", ")))

const accountName = lineFlag("name", "Name of the account", accountBounds.nameLength)
const emailFlag = Flag.String("email").pipe(
  Flag.withDescription("Address for mails about the account's quota and webhooks"),
  Flag.filter(isEmail, () => "an email address, such as ops@example.com")
)

const create = Command.make(
  "create",
  {
    name: accountName,
    email: emailFlag,
    plan: Flag.Literals("plan", plans).pipe(Flag.withDescription(plans.join(", "))),
    json
  },
  Effect.fnUntraced(function* ({ name, email, plan, json: asJson }) {
    const id = yield* (yield* AccountStore).create({ name, email, plan }, yield* Clock.currentTimeMillis)
    yield* show(
      yield* findAccount(id),
      asJson,
      `The account is created. To create a key for it: \`ledgerhook key create --account ${id} --name NAME --scopes SCOPES\`.`
    )
  })
).pipe(
  Command.provide(newStores("account create")),
  about("Create an account", "Create an account. API keys, webhooks and deliveries belong to an account.", {
    "ledgerhook account create --name 'Example Ltd' --email ops@example.com --plan builder":
      "An account on the plan Builder"
  })
)

const list = Command.make(
  "list",
  { json },
  Effect.fnUntraced(function* ({ json: asJson }) {
    const accounts = yield* AccountStore
    yield* printList({
      json: asJson,
      page: (before: Account | undefined, limit) => accounts.list(before?.id, limit),
      columns,
      toJson,
      none: "There is no account yet. Create one with `ledgerhook account create`, or start the service, which creates the first one."
    })
  })
).pipe(
  Command.provide(stores("account list")),
  about(
    "List accounts",
    "List all accounts, newest first: as a table on a terminal, as JSON with each account's limits when piped.",
    {
      "ledgerhook account list": "A table",
      "ledgerhook account list | jq -r '.[] | select(.plan == \"builder\").email'":
        "The addresses of all accounts on one plan"
    }
  )
)

const update = Command.make(
  "update",
  {
    account: accountArgument,
    name: optional(accountName),
    email: optional(emailFlag),
    json
  },
  Effect.fnUntraced(function* ({ account, name, email, json: asJson }) {
    if (name === undefined && email === undefined)
      return yield* wrongUsage("say what to change: give --name, --email or both.")
    const what = {
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email })
    }
    yield* change(account, what, asJson, "The account is changed.").pipe(
      Effect.provide(stores("account update"))
    )
  })
).pipe(
  about(
    "Change an account's name or email",
    "Change an account's name or email address, or both. Mails that are queued already go to the old address.",
    {
      "ledgerhook account update acct_01K… --email ops@example.com":
        "Give the account of the first start an address"
    }
  )
)

const setPlan = Command.make(
  "set-plan",
  { account: accountArgument, plan: planArgument, json },
  ({ account, plan, json: asJson }) => change(account, { plan }, asJson, "The plan applies from now on.")
).pipe(
  Command.provide(stores("account set-plan")),
  about(
    "Change an account's plan",
    "Change an account's plan. The change applies at once, also in a running service: if the new quota allows it, waiting deliveries are sent. Limits set with `account set-limits` apply only on the plan Enterprise; on another plan they are kept but not used.",
    { "ledgerhook account set-plan acct_01K… professional": "Change the plan" }
  )
)

const NO_QUOTA = "none"
const STANDARD = "default"

/** `none` and `default` both give null: the plan's own limit, and Enterprise has no quota. */
const limit = (name: string, description: string, others: ReadonlyArray<string> = [STANDARD]) =>
  Flag.String(name).pipe(
    Flag.withMetavar(["N", ...others].join("|")),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => {
        if (others.includes(text)) return Option.some(null)
        const count = /^\d{1,10}$/.test(text) ? Number(text) : 0
        return count >= 1 && count <= OWN_LIMIT ? Option.some(count) : Option.none()
      },
      () => `a whole number from 1 to ${OWN_LIMIT}, or ${others.map((other) => `\`${other}\``).join(" or ")}`
    ),
    optional
  )

const limits = {
  requestsPerMinute: limit("requests-per-minute", "Requests per key and minute"),
  requestsPerDay: limit("requests-per-day", "Requests per key and day"),
  monthlyDeliveries: limit("monthly-deliveries", "Delivery attempts per calendar month (UTC)", [
    NO_QUOTA,
    STANDARD
  ]),
  concurrentReplays: limit("concurrent-replays", "Replay jobs queued or running at the same time"),
  webhooks: limit("webhooks", "Webhooks, active or disabled"),
  accountFilters: limit("account-filters", "Addresses in the account filters of all webhooks together")
}

const setLimits = Command.make(
  "set-limits",
  { account: accountArgument, ...limits, json },
  Effect.fnUntraced(function* ({ account, json: asJson, ...given }) {
    const own: Partial<Record<keyof LimitOverrides, number | null>> = {}
    // The flags are named as the limits are.
    for (const name of Object.keys(limits) as ReadonlyArray<keyof LimitOverrides>)
      if (given[name] !== undefined) own[name] = given[name]
    if (Object.keys(own).length === 0) {
      return yield* wrongUsage(
        "say which limit to set: --requests-per-minute, --requests-per-day, --monthly-deliveries, --concurrent-replays, --webhooks or --account-filters."
      )
    }
    yield* Effect.gen(function* () {
      const { plan } = yield* findAccount(account)
      if (plan !== CUSTOM_PLAN) {
        return yield* failed(
          `${account} is on the plan ${plan}, and only the plan ${CUSTOM_PLAN} can have limits of its own; change the plan with \`ledgerhook account set-plan ${account} ${CUSTOM_PLAN}\`.`
        )
      }
      yield* change(account, { own }, asJson, "The limits apply from now on.")
    }).pipe(Effect.provide(stores("account set-limits")))
  })
).pipe(
  about(
    "Set limits of an Enterprise account",
    "Set limits of an account on the plan Enterprise. Limits that are not given stay as they are; `default` returns to the plan's limit. The change applies at once, also in a running service.",
    {
      "ledgerhook account set-limits acct_01K… --requests-per-minute 20000 --monthly-deliveries 50000000":
        "Allow more requests, and set a quota",
      "ledgerhook account set-limits acct_01K… --monthly-deliveries none": "Remove the quota",
      "ledgerhook account set-limits acct_01K… --requests-per-minute default": "Return to the plan's limit"
    }
  )
)

const suspend = Command.make("suspend", { account: accountArgument, json }, ({ account, json: asJson }) =>
  change(
    account,
    { suspended: true },
    asJson,
    `Its API keys are refused and its deliveries wait. To end this: \`ledgerhook account resume ${account}\`.`
  )
).pipe(
  Command.provide(stores("account suspend")),
  about(
    "Suspend an account",
    "Suspend an account: requests with its API keys are refused with 403, and its deliveries wait until the account is resumed. Nothing is deleted.",
    { "ledgerhook account suspend acct_01K…": "Suspend one account" }
  )
)

const resume = Command.make("resume", { account: accountArgument, json }, ({ account, json: asJson }) =>
  change(account, { suspended: false }, asJson, "Its API keys work again, and waiting deliveries are sent.")
).pipe(
  Command.provide(stores("account resume")),
  about(
    "End an account's suspension",
    "End an account's suspension: its API keys work again, and waiting deliveries are sent.",
    { "ledgerhook account resume acct_01K…": "Resume one account" }
  )
)

const removal = Command.make(
  "delete",
  {
    account: accountArgument,
    yes: switchFlag("yes", "Delete it: this cannot be undone"),
    json
  },
  Effect.fnUntraced(function* ({ account: id, yes, json: asJson }) {
    if (!yes)
      return yield* wrongUsage(
        `deleting an account cannot be undone, and ends its keys, sessions and webhooks; to do it: \`ledgerhook account delete ${id} --yes\`.`
      )
    yield* Effect.gen(function* () {
      yield* deleteAccount(id, yield* Clock.currentTimeMillis).pipe(
        Effect.catchTag("NotDeletable", ({ reason }) =>
          reason === "first"
            ? failed(`${id} is the first account, which ADMIN_KEY belongs to; it cannot be deleted.`)
            : noAccount(id)
        )
      )
      yield* printOne({
        json: asJson,
        fields: [
          ["id", id],
          ["status", "deleted"]
        ],
        value: { id, deleted: true },
        note: "Its keys, sessions, name, address and notices are gone, and its webhooks end. docs/operations.md says what remains, and for how long."
      })
    }).pipe(Effect.provide(stores("account delete")))
  })
).pipe(
  about(
    "Delete an account",
    "Delete an account: its API keys, sessions and streams end, its name, address, notices and mails go, and its webhooks end as by `webhook delete`. Its deliveries, and its records in the log, go with their retention. This cannot be undone. The first account cannot be deleted.",
    { "ledgerhook account delete acct_01K… --yes": "Delete one account" }
  )
)

export const account = Command.make("account").pipe(
  Command.withDescription("Create, list, change and delete accounts"),
  Command.withSubcommands([create, list, update, setPlan, setLimits, suspend, resume, removal])
)
