/** Texts of --help. */
import { Option } from "effect"
import { Command, type HelpDoc } from "effect/cli"

/** `short` is shown in the list of commands. `examples` maps a command line to what it does. */
export const about =
  (short: string, long: string, examples: Readonly<Record<string, string>>) =>
  <Name extends string, Input, E, R, ContextInput>(
    self: Command.Command<Name, Input, ContextInput, E, R>
  ): Command.Command<Name, Input, ContextInput, E, R> =>
    self.pipe(
      Command.withShortDescription(short),
      Command.withDescription(long),
      Command.withExamples(
        Object.entries(examples).map(([command, description]) => ({ command, description }))
      )
    )

const marked = <A extends HelpDoc.FlagDoc | HelpDoc.ArgDoc>(docs: ReadonlyArray<A>): ReadonlyArray<A> =>
  docs.map((doc) => ({
    ...doc,
    description: doc.required ? Option.map(doc.description, (text) => `${text} (required)`) : doc.description
  }))

/** Adds "(required)" to flags and arguments that cannot be left out. */
export const markRequired = (doc: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...doc,
  flags: marked(doc.flags),
  args: marked(doc.args ?? [])
})
