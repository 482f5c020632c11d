/**
 * `ledgerhook conformance -- CMD…`: checks a detector in any language against the vectors of schemas/detection. Needs no
 * settings, no database and no network. Exits 0 only if every answer is right.
 */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { GREEN, RED } from "../../../terminal/Colour.ts"
import { FailureReported, wrongUsage } from "../../../terminal/Failure.ts"
import { several, wholeNumber, withDefault } from "../../../terminal/Flags.ts"
import { about } from "../../../terminal/Help.ts"
import { Invocation, stdoutColour } from "../../../terminal/Invocation.ts"
import { printableLines } from "../../../terminal/JsonText.ts"
import { print } from "../../../terminal/Output.ts"
import { type Column, inJson, json, makeTable } from "../../../terminal/Table.ts"
import type { Difference } from "./Compare.ts"
import { type Checked, runVectors } from "./Run.ts"
import { forms, readVectors } from "./Vectors.ts"

/** Of one answer; the others are counted. */
const DIFFERENCES_SHOWN = 8
/** Characters of a value. */
const VALUE_LENGTH = 200

const isRight = ({ differences }: Checked): boolean => differences.length === 0

const toJson = (checked: ReadonlyArray<Checked>) => ({
  answers: checked.length,
  right: checked.filter(isRight).length,
  wrong: checked
    .filter((one) => !isRight(one))
    .map(({ differences, form, vector: { name, rule } }) => ({ name, rule, form, differences }))
})

interface RuleRow {
  readonly rule: string
  readonly answers: ReadonlyArray<Checked>
}

const ofForm = ({ answers }: RuleRow, form: string): string => {
  const own = answers.filter((one) => one.form === form)
  return own.length === 0 ? "-" : `${own.filter(isRight).length} of ${own.length}`
}

const columns: ReadonlyArray<Column<RuleRow>> = [
  { head: "RULE", cell: ({ rule }) => rule },
  ...forms.map((form) => ({ head: form.toUpperCase(), cell: (row: RuleRow) => ofForm(row, form) })),
  {
    head: "RESULT",
    cell: ({ answers }) => (answers.every(isRight) ? "right" : "wrong"),
    colour: ({ answers }) => (answers.every(isRight) ? GREEN : RED)
  }
]

const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text
}

const differenceLine = ({ expected, got, path }: Difference): string =>
  `  ${path}: expected ${shown(expected)}, got ${shown(got)}`

const wrongLines = ({ differences, form, vector }: Checked): ReadonlyArray<string> => [
  "",
  `${vector.name} (${form}), rule ${vector.rule}: ${vector.about}`,
  ...differences.slice(0, DIFFERENCES_SHOWN).map(differenceLine),
  ...(differences.length > DIFFERENCES_SHOWN ? [`  and ${differences.length - DIFFERENCES_SHOWN} more`] : [])
]

/** By chapter, then by number: 1.10 follows 1.9. */
const byRule = new Intl.Collator("en", { numeric: true })

const text = (checked: ReadonlyArray<Checked>, colour: boolean): string => {
  const rows = [...Map.groupBy(checked, ({ vector }) => vector.rule)]
    .map(([rule, answers]) => ({ rule, answers }))
    .toSorted((a, b) => byRule.compare(a.rule, b.rule))
  const wrong = checked.filter((one) => !isRight(one))
  return [
    ...makeTable(columns, colour).lines(rows, true),
    // What the command answered must not control the terminal.
    ...wrong.flatMap(wrongLines).map(printableLines),
    "",
    wrong.length === 0
      ? `All ${checked.length} answers are right.`
      : `${wrong.length} of ${checked.length} answers are wrong.`
  ].join("\n")
}

export const conformance = Command.make(
  "conformance",
  {
    form: several(
      Flag.Literals("form", forms).pipe(
        Flag.withDescription("Only this form of the ledgers; may be given several times")
      )
    ),
    rule: several(
      Flag.String("rule").pipe(
        Flag.withDescription("Only the vectors of this rule, such as 2.4; may be given several times")
      )
    ),
    name: several(
      Flag.String("name").pipe(
        Flag.withDescription("Only the vector with this name; may be given several times")
      )
    ),
    wait: wholeNumber("wait", 1, 3_600, "seconds from 1 to 3600").pipe(
      withDefault(30, "Seconds that the command may take for one answer")
    ),
    json,
    command: Argument.String("command").pipe(
      Argument.withDescription("The command to check, with its arguments, after --"),
      Argument.variadic({ min: 1 })
    )
  },
  Effect.fnUntraced(function* ({ form, json: asJson, name, rule, wait, command: [command = "", ...args] }) {
    const vectors = readVectors().filter(
      (one) =>
        (rule.length === 0 || rule.includes(one.rule)) && (name.length === 0 || name.includes(one.name))
    )
    const options = { vectors, forms: form.length === 0 ? forms : form, command, args, waitSeconds: wait }
    const checked = yield* runVectors(options)
    if (checked.length === 0)
      return yield* wrongUsage("No vector has this rule, name and form; schemas/detection lists them.")
    const invocation = yield* Invocation
    yield* print(
      inJson(invocation, asJson)
        ? printableLines(JSON.stringify(toJson(checked), null, 2))
        : text(checked, stdoutColour(invocation))
    )
    if (!checked.every(isRight)) return yield* new FailureReported()
  })
).pipe(
  about(
    "Check a detector against the conformance vectors",
    "Check a detector of events, written in any language, against the conformance vectors of the detection rules. For each vector and form of its ledger, one line with the JSON object { id, name, form, network, ledger } is written to the command's standard input, and the command answers with one line: { id, events, alerts }, or { id, error } if it cannot read the ledger. The command is started once; it must flush each line. What differs is shown with the field's path, what is expected and what the command answered. The vectors and what is compared are described in schemas/detection/README.md. Exits 0 only if all answers are right.",
    {
      "ledgerhook conformance -- ledgerhook ledger detect --conformance -":
        "Check this program's own detector",
      "ledgerhook conformance --form v2 -- python3 detector.py":
        "Check a detector in Python with the JSON of API version 2",
      "ledgerhook conformance --rule 2.3 --rule 3 -- ./detector --lines": "Only the vectors of two rules",
      "ledgerhook conformance --json -- ./detector": "For programs: what is wrong, as JSON"
    }
  )
)
