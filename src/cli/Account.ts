/** `ledgerhook account …`: the operator's accounts, their plans, limits and suspension. */
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { iso } from "../api/Times.ts"
import { Limits } from "../config/Limits.ts"
import { isEmail } from "../domain/Email.ts"
import { CUSTOM_PLAN, type LimitOverrides, limitsJson, limitsOf, plans } from "../domain/Plans.ts"
import { type Account, type AccountChange, AccountStore } from "../storage/AccountStore.ts"
import { CommandFailed, WrongUsage } from "./Failure.ts"
import { accountArgument, findAccount, nameFlag, newStores, noAccount, stores } from "./Stores.ts"
import { type Column, type Field, GREEN, json, printList, printOne, RED } from "./Table.ts"

const toJson = (account: Account) => {
  const limits = limitsOf(account.plan, account.own)
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    plan: account.plan,
    limits: limitsJson(limits),
    suspended_at: account.suspended_at === null ? null : iso(account.suspended_at),
    created_at: iso(account.created_at)
  }
}

const status = ({ suspended_at }: Account): string => (suspended_at === null ? "active" : "suspended")

const columns: ReadonlyArray<Column<Account>> = [
  { head: "ID", cell: ({ id }) => id },
  { head: "PLAN", cell: ({ plan }) => plan },
  {
    head: "STATUS",
    cell: status,
    colour: ({ suspended_at }) => (suspended_at === null ? GREEN : RED)
  },
  { head: "CREATED", cell: ({ created_at }) => iso(created_at) },
  { head: "NAME", cell: ({ name }) => name },
  { head: "EMAIL", cell: ({ email }) => email ?? "-" }
]

const fields = (account: Account): ReadonlyArray<Field> => {
  const limits = limitsOf(account.plan, account.own)
  return [
    ["id", account.id],
    ["name", account.name],
    ["email", account.email ?? "-"],
    ["plan", account.plan],
    ["requests", `${limits.requestsPerMinute} a minute, ${limits.requestsPerDay} a day`],
    [
      "deliveries",
      limits.monthlyDeliveries === null ? "without a quota" : `${limits.monthlyDeliveries} a month`
    ],
    ["replays", `${limits.concurrentReplays} at once`],
    ["status", account.suspended_at === null ? "active" : `suspended since ${iso(account.suspended_at)}`],
    ["created", iso(account.created_at)]
  ]
}

const show = (account: Account, asJson: boolean, note: string) =>
  printOne({ json: asJson, fields: fields(account), value: toJson(account), note })

const change = Effect.fnUntraced(function* (id: string, what: AccountChange) {
  const changed = yield* (yield* AccountStore).change(id, what, yield* Clock.currentTimeMillis)
  return Option.isSome(changed) ? changed.value : yield* noAccount(id)
})

const planArgument = Argument.Literals("plan", plans).pipe(Argument.withDescription(plans.join(", ")))

const create = Command.make(
  "create",
  {
    name: nameFlag("What the account is called", Limits.accountNameLength),
    email: Flag.String("email").pipe(
      Flag.withDescription("Where mails about its quota and its webhooks go"),
      Flag.filter(isEmail, () => "an email address, as ops@example.com")
    ),
    plan: Flag.Literals("plan", plans).pipe(Flag.withDescription(plans.join(", "))),
    json
  },
  ({ name, email, plan, json: asJson }) =>
    Effect.gen(function* () {
      const id = yield* (yield* AccountStore).create({ name, email, plan }, yield* Clock.currentTimeMillis)
      yield* show(
        yield* findAccount(id),
        asJson,
        `The account is made; \`ledgerhook key create --account ${id} --name NAME --scopes SCOPES\` makes it a key.`
      )
    }).pipe(Effect.provide(newStores("account create")))
).pipe(
  Command.withDescription("Make an account: what keys, webhooks and deliveries belong to."),
  Command.withShortDescription("Make an account"),
  Command.withExamples([
    {
      command: "ledgerhook account create --name 'Example Ltd' --email ops@example.com --plan builder",
      description: "An account on the plan Builder"
    }
  ])
)

const list = Command.make("list", { json }, ({ json: asJson }) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    yield* printList({
      json: asJson,
      page: (before: Account | undefined, limit) => accounts.list(before?.id, limit),
      columns,
      toJson,
      none: "There is no account yet; the first start of the service makes one, and so does `ledgerhook account create`."
    })
  }).pipe(Effect.provide(stores("account list")))
).pipe(
  Command.withDescription(
    "Show all accounts, newest first: a table on a terminal; JSON, with each account's limits, when piped."
  ),
  Command.withShortDescription("Show all accounts"),
  Command.withExamples([
    { command: "ledgerhook account list", description: "A table" },
    {
      command: "ledgerhook account list | jq -r '.[] | select(.plan == \"builder\").email'",
      description: "The addresses of all accounts on one plan"
    }
  ])
)

const setPlan = Command.make(
  "set-plan",
  { account: accountArgument, plan: planArgument, json },
  ({ account, plan, json: asJson }) =>
    Effect.gen(function* () {
      yield* show(yield* change(account, { plan }), asJson, "The plan holds from now on.")
    }).pipe(Effect.provide(stores("account set-plan")))
).pipe(
  Command.withDescription(
    "Put an account on another plan. It holds at once, beside a running service too: deliveries that waited for the quota go on. Limits of its own hold on the plan Enterprise only, and come back with it."
  ),
  Command.withShortDescription("Put an account on another plan"),
  Command.withExamples([
    { command: "ledgerhook account set-plan acct_01K… professional", description: "Change the plan" }
  ])
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
  concurrentReplays: limit("concurrent-replays", "Replay jobs at once")
}

const setLimits = Command.make(
  "set-limits",
  { account: accountArgument, ...limits, json },
  Effect.fnUntraced(function* ({ account, json: asJson, ...given }) {
    const own: Partial<Record<keyof LimitOverrides, number | null>> = {}
    for (const name of [
      "requestsPerMinute",
      "requestsPerDay",
      "monthlyDeliveries",
      "concurrentReplays"
    ] as const)
      if (Option.isSome(given[name])) own[name] = given[name].value
    if (Object.keys(own).length === 0) {
      return yield* new WrongUsage({
        message:
          "name a limit to set: --requests-per-minute, --requests-per-day, --monthly-deliveries or --concurrent-replays."
      })
    }
    yield* Effect.gen(function* () {
      const { plan } = yield* findAccount(account)
      if (plan !== CUSTOM_PLAN) {
        return yield* new CommandFailed({
          message: `${account} is on the plan ${plan}, and limits of one's own are for ${CUSTOM_PLAN}; \`ledgerhook account set-plan ${account} ${CUSTOM_PLAN}\` changes the plan.`
        })
      }
      yield* show(yield* change(account, { own }), asJson, "The limits hold from now on.")
    }).pipe(Effect.provide(stores("account set-limits")))
  })
).pipe(
  Command.withDescription(
    "Give an account on the plan Enterprise limits of its own; those that are not named stay as they are, and `default` returns to the plan's. They hold at once, beside a running service too."
  ),
  Command.withShortDescription("Give an Enterprise account limits of its own"),
  Command.withExamples([
    {
      command:
        "ledgerhook account set-limits acct_01K… --requests-per-minute 20000 --monthly-deliveries 50000000",
      description: "More requests, and a quota"
    },
    {
      command: "ledgerhook account set-limits acct_01K… --monthly-deliveries none",
      description: "No quota again"
    },
    {
      command: "ledgerhook account set-limits acct_01K… --requests-per-minute default",
      description: "Back to the plan's figure"
    }
  ])
)

const suspend = Command.make("suspend", { account: accountArgument, json }, ({ account, json: asJson }) =>
  Effect.gen(function* () {
    yield* show(
      yield* change(account, { suspended: true }),
      asJson,
      `Its keys are refused and its deliveries wait, until \`ledgerhook account resume ${account}\`.`
    )
  }).pipe(Effect.provide(stores("account suspend")))
).pipe(
  Command.withDescription(
    "Refuse every request with an account's keys (403) and let its deliveries wait, until it is resumed. Nothing is deleted."
  ),
  Command.withShortDescription("Refuse an account's keys, let its deliveries wait"),
  Command.withExamples([
    { command: "ledgerhook account suspend acct_01K…", description: "Until it is resumed" }
  ])
)

const resume = Command.make("resume", { account: accountArgument, json }, ({ account, json: asJson }) =>
  Effect.gen(function* () {
    yield* show(yield* change(account, { suspended: false }), asJson, "Its keys and deliveries work again.")
  }).pipe(Effect.provide(stores("account resume")))
).pipe(
  Command.withDescription("End an account's suspension: its keys work again, and what waited is delivered."),
  Command.withShortDescription("End an account's suspension"),
  Command.withExamples([{ command: "ledgerhook account resume acct_01K…", description: "End it" }])
)

export const account = Command.make("account").pipe(
  Command.withDescription("Make, show and change accounts"),
  Command.withSubcommands([create, list, setPlan, setLimits, suspend, resume])
)
