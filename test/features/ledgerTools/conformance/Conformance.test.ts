/** `ledgerhook conformance` with commands that are real processes: right and wrong detectors, and what is no detector. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../../support/program/command.ts"

/** The test runs on the Node that the commands must run on. */
const node = process.execPath
const ours = [node, "bin/ledgerhook.js", "ledger", "detect", "--conformance", "-"]
const mistaken = (mistake: string) => [node, "test/support/ledger/mistakenDetectorProgram.ts", mistake]
/** A command that answers each line with what the expression makes of it. */
const answering = (expression: string) => [
  node,
  "-e",
  `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => { const question = JSON.parse(line); console.log(${expression}) })`
]

const conformance = (flags: ReadonlyArray<string>, command: ReadonlyArray<string>) =>
  runCommand(["conformance", ...flags, "--", ...command], {
    environment: { PATH: process.env["PATH"] ?? "" }
  })

describe("ledgerhook conformance", () => {
  it.live("accepts our own detector, in every form", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* conformance(["--rule", "2.8", "--rule", "1.5"], ours)
      assert.strictEqual(stderr, "")
      const { answers, right, wrong } = JSON.parse(stdout)
      assert.deepStrictEqual([code, wrong, right], [0, [], answers])
      assert.isAtLeast(answers, 90)
    })
  )

  it.live("shows what a wrong detector answers, and fails", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* conformance(
        ["--name", "three_filled", "--name", "xrp_direct", "--form", "v1"],
        mistaken("numbers begin at 1")
      )
      const { wrong } = JSON.parse(stdout)
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(
        wrong.map(({ differences, form, name, rule }: Record<string, ReadonlyArray<object>>) => [
          { form, name, rule },
          differences?.length
        ]),
        [[{ form: "v1", name: "three_filled", rule: "1.3" }, 3]]
      )
      const [{ expected, got, path }] = wrong[0].differences
      assert.strictEqual(path, "events[0].event_id")
      assert.match(expected, /:dex\.offer_filled:0$/)
      assert.match(got, /:dex\.offer_filled:1$/)
    })
  )

  it.live("catches a detector that believes the amount of a partial payment", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* conformance(
        ["--rule", "1.6", "--form", "v2"],
        mistaken("a payment delivers its Amount")
      )
      assert.strictEqual(code, 1)
      assert.include(JSON.stringify(JSON.parse(stdout).wrong), "xrp_partial_exploit")
    })
  )

  it.live("counts an answer with an error as wrong, and goes on", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* conformance(
        ["--name", "empty_ledger"],
        answering(
          'JSON.stringify(question.form === "binary" ? { id: question.id, error: "no bytes" } : { id: question.id, events: [], alerts: [] })'
        )
      )
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(JSON.parse(stdout), {
        answers: 3,
        right: 2,
        wrong: [
          {
            name: "empty_ledger",
            rule: "1.1",
            form: "binary",
            differences: [{ path: "error", got: "no bytes" }]
          }
        ]
      })
    })
  )

  const faults: ReadonlyArray<readonly [what: string, command: ReadonlyArray<string>, said: RegExp]> = [
    [
      "there is none",
      ["no-such-command-anywhere"],
      /no-such-command-anywhere cannot be started: there is no such command\./
    ],
    ["it ends", [node, "-e", ""], /ended with exit code 0 before it answered empty_ledger \(v1\)\./],
    [
      "it is silent",
      [node, "-e", "process.stdin.resume()"],
      /did not answer empty_ledger \(v1\) within 1 s\. .*flush/
    ],
    ["it writes no JSON", answering('"hello"'), /answer to empty_ledger \(v1\) is not valid JSON/],
    ["it answers another question", answering("JSON.stringify({ id: 7 })"), /does not have its id, 1\./],
    [
      "it answers no lists",
      answering("JSON.stringify({ id: 1 })"),
      /neither the lists events and alerts, nor an error\./
    ],
    ["its line is too long", answering('"x".repeat(1_000_001)'), /longer than 1 million characters\./]
  ]
  for (const [what, command, said] of faults)
    it.live(`ends with a sentence if the command is no detector: ${what}`, () =>
      Effect.gen(function* () {
        const wait = what === "it is silent" ? ["--wait", "1"] : []
        const { code, stderr, stdout } = yield* conformance(["--name", "empty_ledger", ...wait], command)
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(stderr, said)
        assert.match(stderr, /^ledgerhook: [^\n]+\n$/)
      })
    )

  it.live("says so if no vector is chosen", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* conformance(["--rule", "9.9"], [node, "-e", ""])
      assert.strictEqual(code, 2)
      assert.include(stderr, "No vector has this rule, name and form")
    })
  )

  it.live("needs a command", () =>
    Effect.gen(function* () {
      const { code } = yield* runCommand(["conformance"], { environment: {} })
      assert.strictEqual(code, 2)
    })
  )
})
