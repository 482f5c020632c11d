/** The command line: all commands, and what is printed about wrong usage (to stderr, with a hint at --help). */
import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { command } from "../features/Feature.ts"
import { FeatureSettings } from "../spine/config/Config.ts"
import { markRequired } from "../terminal/Help.ts"
import { logging } from "../terminal/Invocation.ts"
import { printableLines } from "../terminal/JsonText.ts"
import { print, printError } from "../terminal/Output.ts"
import { WholeService } from "../terminal/WholeService.ts"
import { features } from "./features.ts"
import { settingsOfFeatures } from "./Settings.ts"
import { migrate } from "./start/Migrate.ts"
import { start } from "./start/Start.ts"

type Entry = (typeof own)[number] | (typeof features)[number]["commands"][number]
type Known = Entry["command"]

const own = [command(10, start), command(30, migrate)]
const entries: ReadonlyArray<Entry> = [
  ...own,
  ...features.flatMap((feature): ReadonlyArray<Entry> => feature.commands)
].toSorted((a, b) => a.place - b.place)

/** The commands under one, each with those under itself. */
const below = (name: string | undefined): ReadonlyArray<Known> =>
  entries
    .filter(({ under }) => under === name)
    .map(({ command }) => {
      const parts = below(command.name)
      // What a part needs and how it fails is in the type of the list already.
      return parts.length === 0 ? command : (Command.withSubcommands(command as typeof start, parts) as Known)
    })

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
  Command.withSubcommands(below(undefined))
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
    Effect.provideService(FeatureSettings, settingsOfFeatures),
    Effect.provideService(WholeService, (command) =>
      // Imported here, so that other commands start faster.
      Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./Roles.ts")),
          ({ service }) => service(command)
        )
      )
    ),
    Effect.provide(logging)
  )
