/**
 * What detection costs beside reading: parse, normalise and detect, against JSON.parse alone on the same texts. On
 * ledgers of the project's own making, and on the corpus of real ones where it lies beside the project.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { detectLedger } from "../src/detect/Detect.ts"
import { normaliseLedger } from "../src/domain/NormaliseLedger.ts"
import type { Benchmark } from "./support/Benchmark.ts"
import { answerText, makeLedgers } from "./support/ledgers.ts"
import { inRounds, medianOf, timedSync } from "./support/rounds.ts"

const LEDGERS = 200
const ROUNDS = 9
const TARGET = 2.0

const corpus = resolve(import.meta.dirname, "../../shared/xrpl-corpus/ledgers")

const corpusTexts = (): ReadonlyArray<string> =>
  globSync("*.json", { cwd: corpus })
    .sort()
    .map((file) => readFileSync(join(corpus, file), "utf8"))

interface Totals {
  transactions: number
  events: number
}

const detectAll = (texts: ReadonlyArray<string>): Totals => {
  const totals = { transactions: 0, events: 0 }
  for (const text of texts) {
    const normalised = normaliseLedger(JSON.parse(text))
    if (normalised === undefined) throw new Error("a text holds no ledger")
    totals.transactions += normalised.ledger.transactions.length
    totals.events += detectLedger(normalised.ledger).events.length
  }
  return totals
}

/** Something of each result is used, so that no parse can be left out. */
const parseAll = (texts: ReadonlyArray<string>): number => {
  let found = 0
  for (const text of texts) if (typeof JSON.parse(text) === "object") found++
  return found
}

const measure = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const totals = detectAll(texts)
  if (totals.events === 0 || parseAll(texts) !== texts.length) throw new Error("nothing was detected")
  const rounds = yield* inRounds(
    ROUNDS,
    () =>
      Effect.sync(() => {
        const parse = timedSync(() => parseAll(texts))
        const whole = timedSync(() => detectAll(texts))
        return { parse, whole }
      }),
    2
  )
  return {
    microsPerTransaction: (medianOf(rounds, ({ whole }) => whole) * 1_000) / totals.transactions,
    ratio: medianOf(rounds, ({ parse, whole }) => whole / parse)
  }
})

const benchmark: Benchmark = {
  description: "parse, normalise and detect, against JSON.parse alone on the same bytes",
  target: `at most ${TARGET} × JSON.parse`,
  run: Effect.fnUntraced(function* (report) {
    const figure = { unit: "µs/transaction", target: TARGET, better: "lower" } as const
    const simulated = yield* measure(makeLedgers(LEDGERS).map((ledger) => answerText(1, ledger)))
    report({
      ...figure,
      name: "detect.simulated",
      value: simulated.microsPerTransaction,
      ratio: simulated.ratio
    })
    if (!existsSync(corpus)) return
    const real = yield* measure(corpusTexts())
    report({ ...figure, name: "detect.corpus", value: real.microsPerTransaction, ratio: real.ratio })
  })
}

export default benchmark
