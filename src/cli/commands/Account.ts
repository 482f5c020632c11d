/** `ledgerhook account …`: the operator's accounts, their plans, limits and suspension. */
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Limits } from "../../config/Limits.ts"
import { isEmail } from "../../domain/Email.ts"
import { CUSTOM_PLAN, type LimitOverrides, plans } from "../../domain/Plans.ts"
import { type Account, type AccountChange, AccountStore } from "../../storage/accounts/AccountStore.ts"
import { accountArgument, findAccount, nameFlag, newStores, noAccount, stores } from "../Stores.ts"
import { failed, wrongUsage } from "../terminal/Failure.ts"
import { about } from "../terminal/Help.ts"
import { json, printList, printOne } from "../terminal/Table.ts"
import { columns, fields, toJson } from "./AccountView.ts"

const show = (account: Account, asJson: boolean, note: string) =>
  printOne({ json: asJson, fields: fields(account), value: toJson(account), note })

const change = Effect.fnUntraced(function* (id: string, what: AccountChange, asJson: boolean, note: string) {
  const changed = yield* (yield* AccountStore).change(id, what, yield* Clock.currentTimeMillis)
  if (Option.isNone(changed)) return yield* noAccount(id)
  yield* show(changed.value, asJson, note)
})

const planArgument = Argument.Literals("plan", plans).pipe(Argument.withDescription(plans.join(", ")))

const accountName = nameFlag("What the account is called", Limits.accountNameLength)
const emailFlag = Flag.String("email").pipe(
  Flag.withDescription("Where mails about its quota and its webhooks go"),
  Flag.filter(isEmail, () => "an email address, as ops@example.com")
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
      `The account is made; \`ledgerhook key create --account ${id} --name NAME --scopes SCOPES\` makes it a key.`
    )
  })
).pipe(
  Command.provide(newStores("account create")),
  about("Make an account", "Make an account: what keys, webhooks and deliveries belong to.", {
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
      none: "There is no account yet; the first start of the service makes one, and so does `ledgerhook account create`."
    })
  })
).pipe(
  Command.provide(stores("account list")),
  about(
    "Show all accounts",
    "Show all accounts, newest first: a table on a terminal; JSON, with each account's limits, when piped.",
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
    name: Flag.optional(accountName),
    email: Flag.optional(emailFlag),
    json
  },
  Effect.fnUntraced(function* ({ account, name, email, json: asJson }) {
    if (Option.isNone(name) && Option.isNone(email))
      return yield* wrongUsage("name what to change: --name, --email or both.")
    const what = {
      ...(Option.isSome(name) ? { name: name.value } : {}),
      ...(Option.isSome(email) ? { email: email.value } : {})
    }
    yield* change(account, what, asJson, "The account is changed.").pipe(
      Effect.provide(stores("account update"))
    )
  })
).pipe(
  about(
    "Change an account's name or email",
    "Change an account's name or email; what is not named stays. Mails that are queued already go to the address before.",
    {
      "ledgerhook account update acct_01K… --email ops@example.com":
        "Give the account of the first start an address"
    }
  )
)

const setPlan = Command.make(
  "set-plan",
  { account: accountArgument, plan: planArgument, json },
  ({ account, plan, json: asJson }) => change(account, { plan }, asJson, "The plan holds from now on.")
).pipe(
  Command.provide(stores("account set-plan")),
  about(
    "Put an account on another plan",
    "Put an account on another plan. It holds at once, beside a running service too: deliveries that waited for the quota go on. Limits of its own hold on the plan Enterprise only, and come back with it.",
    { "ledgerhook account set-plan acct_01K… professional": "Change the plan" }
  )
)

const NO_QUOTA = "none"
const STANDARD = "default"

/** Null: the plan's figure. On the plan that may have limits of its own, that is no quota. */
const limit = (name: string, description: string, others: ReadonlyArray<string> = [STANDARD]) =>
  Flag.String(name).pipe(
    Flag.withMetavar(["N", ...others].join("|")),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => {
        if (others.includes(text)) return Option.some(null)
        const count = /^\d{1,10}$/.test(text) ? Number(text) : 0
        return count >= 1 && count <= Limits.ownLimit ? Option.some(count) : Option.none()
      },
      () =>
        `a whole number from 1 to ${Limits.ownLimit}, or ${others.map((other) => `\`${other}\``).join(" or ")}`
    ),
    Flag.optional
  )

const limits = {
  requestsPerMinute: limit("requests-per-minute", "Requests of one key in a minute"),
  requestsPerDay: limit("requests-per-day", "Requests of one key in a day"),
  monthlyDeliveries: limit("monthly-deliveries", "Delivery attempts in a calendar month (UTC)", [
    NO_QUOTA,
    STANDARD
  ]),
  concurrentReplays: limit("concurrent-replays", "Replay jobs at once"),
  webhooks: limit("webhooks", "Webhooks, active or disabled"),
  accountFilters: limit("account-filters", "Addresses in the filters of all its webhooks")
}

const setLimits = Command.make(
  "set-limits",
  { account: accountArgument, ...limits, json },
  Effect.fnUntraced(function* ({ account, json: asJson, ...given }) {
    const own: Partial<Record<keyof LimitOverrides, number | null>> = {}
    // The flags are named as the limits are.
    for (const name of Object.keys(limits) as ReadonlyArray<keyof LimitOverrides>)
      if (Option.isSome(given[name])) own[name] = given[name].value
    if (Object.keys(own).length === 0) {
      return yield* wrongUsage(
        "name a limit to set: --requests-per-minute, --requests-per-day, --monthly-deliveries, --concurrent-replays, --webhooks or --account-filters."
      )
    }
    yield* Effect.gen(function* () {
      const { plan } = yield* findAccount(account)
      if (plan !== CUSTOM_PLAN) {
        return yield* failed(
          `${account} is on the plan ${plan}, and limits of one's own are for ${CUSTOM_PLAN}; \`ledgerhook account set-plan ${account} ${CUSTOM_PLAN}\` changes the plan.`
        )
      }
      yield* change(account, { own }, asJson, "The limits hold from now on.")
    }).pipe(Effect.provide(stores("account set-limits")))
  })
).pipe(
  about(
    "Give an Enterprise account limits of its own",
    "Give an account on the plan Enterprise limits of its own; those that are not named stay as they are, and `default` returns to the plan's. They hold at once, beside a running service too.",
    {
      "ledgerhook account set-limits acct_01K… --requests-per-minute 20000 --monthly-deliveries 50000000":
        "More requests, and a quota",
      "ledgerhook account set-limits acct_01K… --monthly-deliveries none": "No quota again",
      "ledgerhook account set-limits acct_01K… --requests-per-minute default": "Back to the plan's figure"
    }
  )
)

const suspend = Command.make("suspend", { account: accountArgument, json }, ({ account, json: asJson }) =>
  change(
    account,
    { suspended: true },
    asJson,
    `Its keys are refused and its deliveries wait, until \`ledgerhook account resume ${account}\`.`
  )
).pipe(
  Command.provide(stores("account suspend")),
  about(
    "Refuse an account's keys, let its deliveries wait",
    "Refuse every request with an account's keys (403) and let its deliveries wait, until it is resumed. Nothing is deleted.",
    { "ledgerhook account suspend acct_01K…": "Until it is resumed" }
  )
)

const resume = Command.make("resume", { account: accountArgument, json }, ({ account, json: asJson }) =>
  change(account, { suspended: false }, asJson, "Its keys and deliveries work again.")
).pipe(
  Command.provide(stores("account resume")),
  about(
    "End an account's suspension",
    "End an account's suspension: its keys work again, and what waited is delivered.",
    { "ledgerhook account resume acct_01K…": "End it" }
  )
)

export const account = Command.make("account").pipe(
  Command.withDescription("Make, show and change accounts"),
  Command.withSubcommands([create, list, update, setPlan, setLimits, suspend, resume])
)
