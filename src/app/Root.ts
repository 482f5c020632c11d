/** The command line: all commands, and what is printed about wrong usage (to stderr, with a hint at --help). */
import { Effect } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { account } from "../features/accounts/command/Account.ts"
import { key } from "../features/accounts/command/Key.ts"
import { portal } from "../features/accounts/command/Portal.ts"
import { capacity } from "../features/capacity/Capacity.ts"
import { backup, restore } from "../features/copies/backup/BackupCommand.ts"
import { move } from "../features/copies/move/Move.ts"
import { deliveries } from "../features/deliveries/DeliveriesCommand.ts"
import { demo } from "../features/demo/Demo.ts"
import { events } from "../features/events/command/Events.ts"
import { mail } from "../features/health/notify/MailCommand.ts"
import { conformance } from "../features/ledgerTools/conformance/Conformance.ts"
import { ledger } from "../features/ledgerTools/Ledger.ts"
import { listen } from "../features/listen/Listen.ts"
import { doctor } from "../features/operate/doctor/Doctor.ts"
import { status } from "../features/operate/Status.ts"
import { topics } from "../features/operate/Topics.ts"
import { explain } from "../features/progress/command/Explain.ts"
import { progress } from "../features/progress/command/Progress.ts"
import { replay } from "../features/replay/command/Replay.ts"
import { retry } from "../features/replay/command/Retry.ts"
import { secrets } from "../features/webhooks/command/Secrets.ts"
import { trigger } from "../features/webhooks/command/TestEvent.ts"
import { webhook } from "../features/webhooks/command/Webhook.ts"
import { markRequired } from "../terminal/Help.ts"
import { logging } from "../terminal/Invocation.ts"
import { printableLines } from "../terminal/JsonText.ts"
import { print, printError } from "../terminal/Output.ts"
import { migrate } from "./start/Migrate.ts"
import { start } from "./start/Start.ts"

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
