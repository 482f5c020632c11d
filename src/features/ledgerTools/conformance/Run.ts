/**
 * Asks a command for the events of every vector, in each form, and compares its answers. One question is open at a
 * time, so a fault names its vector. An answer that is not in the protocol ends the run; a wrong one is a result.
 */
import { Effect } from "effect"
import type { Json } from "../../../spine/event/Ledger.ts"
import { isJsonObject } from "../../../spine/event/NormaliseLedger.ts"
import { type CommandFailed, failed } from "../../../terminal/Failure.ts"
import { parseJson } from "../../../terminal/JsonText.ts"
import { showProgress } from "../../../terminal/ProgressLine.ts"
import { compare, type Difference } from "./Compare.ts"
import { type Ask, startTalk } from "./Talk.ts"
import { type Form, forms, type Vector } from "./Vectors.ts"

export interface Checked {
  readonly vector: Vector
  readonly form: Form
  /** None: the answer is right. */
  readonly differences: ReadonlyArray<Difference>
}

export interface RunOptions {
  readonly vectors: ReadonlyArray<Vector>
  readonly forms: ReadonlyArray<Form>
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly waitSeconds: number
}

const unusable = (about: string, why: string): Effect.Effect<never, CommandFailed> =>
  Effect.fail(failed(`The command's answer to ${about} ${why}`))

const readAnswer = (text: string, id: number, vector: Vector, about: string) => {
  const parsed = parseJson(text)
  if (!("value" in parsed)) return unusable(about, `is ${parsed.message}`)
  const answer: Json = parsed.value
  if (!isJsonObject(answer) || answer["id"] !== id) return unusable(about, `does not have its id, ${id}.`)
  const { alerts, error, events } = answer
  if (typeof error === "string")
    return Effect.succeed<ReadonlyArray<Difference>>([{ path: "error", expected: undefined, got: error }])
  return Array.isArray(events) && Array.isArray(alerts)
    ? Effect.succeed(compare(vector, { events, alerts }))
    : unusable(about, "has neither the lists events and alerts, nor an error.")
}

const checkOne = Effect.fnUntraced(function* (ask: Ask, id: number, vector: Vector, form: Form) {
  const about = `${vector.name} (${form})`
  const { input, name, network } = vector
  // JSON.stringify leaves out an unknown network.
  const question = JSON.stringify({ id, name, form, network, ledger: input[form] })
  const differences = yield* readAnswer(yield* ask(question, about), id, vector, about)
  return { vector, form, differences }
})

export const runVectors = Effect.fnUntraced(function* (options: RunOptions) {
  const ask = yield* startTalk(options.command, options.args, options.waitSeconds)
  const questions = options.vectors.flatMap((vector) =>
    forms
      .filter((form) => options.forms.includes(form) && vector.input[form] !== undefined)
      .map((form) => ({ vector, form }))
  )
  const show = yield* showProgress("checked", questions.length, "answers")
  const checked: Array<Checked> = []
  for (const { form, vector } of questions) {
    checked.push(yield* checkOne(ask, checked.length + 1, vector, form))
    yield* show(checked.length)
  }
  return checked
}, Effect.scoped)
