/** The command line: all commands, and what is printed about wrong usage (to stderr, with a hint at --help). */
import { Effect } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { account } from "./commands/Account.ts"
import { backup, restore } from "./commands/Backup.ts"
import { capacity } from "./commands/capacity/Capacity.ts"
import { conformance } from "./commands/conformance/Conformance.ts"
import { deliveries } from "./commands/deliveries/Deliveries.ts"
import { demo } from "./commands/demo/Demo.ts"
import { explain } from "./commands/Explain.ts"
import { events } from "./commands/events/Events.ts"
import { key } from "./commands/Key.ts"
import { listen } from "./commands/Listen.ts"
import { ledger } from "./commands/ledger/Ledger.ts"
import { mail } from "./commands/Mail.ts"
import { migrate } from "./commands/Migrate.ts"
import { move } from "./commands/move/Move.ts"
import { portal } from "./commands/Portal.ts"
import { progress } from "./commands/Progress.ts"
import { retry } from "./commands/Retry.ts"
import { replay } from "./commands/replay/Replay.ts"
import { secrets } from "./commands/Secrets.ts"
import { start } from "./commands/Start.ts"
import { status } from "./commands/Status.ts"
import { topics } from "./commands/Topics.ts"
import { trigger } from "./commands/webhook/Test.ts"
import { webhook } from "./commands/webhook/Webhook.ts"
import { doctor } from "./doctor/Doctor.ts"
import { markRequired } from "./terminal/Help.ts"
import { logging } from "./terminal/Invocation.ts"
import { printableLines } from "./terminal/JsonText.ts"
import { print, printError } from "./terminal/Output.ts"

const root = Command.make("ledgerhook").pipe(
  Command.withDescription(
    "Watches the XRP Ledger and delivers its events as signed webhooks. Settings come from the environment and from .env; .env.example lists them. Commands that use a service elsewhere find it by LEDGERHOOK_URL (default: http://127.0.0.1:8080) and LEDGERHOOK_API_KEY; `webhook list` and `explain` use the local database if LEDGERHOOK_URL is not set."
  ),
  Command.withExamples([
    { command: "npm run demo", description: "Try the service without network or settings" },
    { command: "ledgerhook start", description: "Run the service" },
    { command: "ledgerhook status", description: "Say how the service is" },
    { command: "ledgerhook doctor", description: "Check every setting and connection" }
  ]),
  Command.withSubcommands([
    start,
    demo,
    migrate,
    backup,
    restore,
    move,
    account,
    key,
    portal,
    webhook,
    deliveries,
    progress,
    trigger,
    replay,
    retry,
    explain,
    events,
    secrets,
    ledger,
    conformance,
    topics,
    capacity,
    mail,
    listen,
    status,
    doctor
  ])
)

const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "InvalidInvocation":
        return printError(
          [
            ...event.errors.map(({ message }) => `ledgerhook: ${printableLines(message)}`),
            `Try: ${event.commandPath.join(" ")} --help`
          ].join("\n")
        )
      case "Version":
        return print(`${event.name} ${event.version}`)
      case "Help":
        return CliOutput.defaultPresenter.present({ ...event, helpDoc: markRequired(event.helpDoc) })
    }
  }
}

export const run = (args: ReadonlyArray<string>) =>
  Command.runWith(root, { version: packageJson.version })(args).pipe(
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      // Without Effect's --log-level and --wizard: LOG_LEVEL is a setting like the others.
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
    ),
    Effect.provide(logging)
  )
