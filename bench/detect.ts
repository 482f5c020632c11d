/**
 * Measures detection: parse, normalise, detect and check each event against its schema. The ceiling is `JSON.parse` of
 * the same texts. It runs on generated ledgers, and on a corpus of real ones if that is next to the project.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { detectLedger } from "../src/spine/detect/Detect.ts"
import { normaliseLedger } from "../src/spine/event/NormaliseLedger.ts"
import type { Benchmark } from "./support/Benchmark.ts"
import { answerText, makeLedgers } from "./support/ledgers.ts"
import { inRounds, medianOf, timedSync } from "./support/rounds.ts"

const LEDGERS = 100
const ROUNDS = 21
/** Enough rounds for V8 to compile everything, even if the compiler has to wait for a core. */
const WARM_UPS = 10
/** Checking each event against its published schema takes about 0.4 of this. */
const TARGET = 2.5

const corpus = resolve(import.meta.dirname, "../../shared/xrpl-corpus/ledgers")

const corpusTexts = (): ReadonlyArray<string> =>
  globSync("*.json", { cwd: corpus })
    .sort()
    .map((file) => readFileSync(join(corpus, file), "utf8"))

/** Something of each result is used, so that no work can be left out. */
const parse = (text: string): void => {
  if (typeof JSON.parse(text) !== "object") throw new Error("a text holds no answer")
}

const detect = (text: string) => {
  const normalised = normaliseLedger(JSON.parse(text))
  if (normalised === undefined) throw new Error("a text holds no ledger")
  const { transactions } = normalised.ledger
  return { transactions: transactions.length, events: detectLedger(normalised.ledger).events.length }
}

/** Both run on each text, and take turns to run first, so that neither gains from a disturbance or a cached text. */
const measureRound = (texts: ReadonlyArray<string>, round: number) => {
  const times = { parse: 0, whole: 0 }
  const steps = [
    (text: string) => (times.parse += timedSync(() => parse(text))),
    (text: string) => (times.whole += timedSync(() => detect(text)))
  ]
  if (round % 2 === 1) steps.reverse()
  for (const text of texts) for (const step of steps) step(text)
  return times
}

const measure = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const found = texts.map(detect)
  if (!found.some(({ events }) => events > 0)) throw new Error("nothing was detected")
  const transactions = found.reduce((sum, { transactions }) => sum + transactions, 0)
  const rounds = yield* inRounds(ROUNDS, (round) => Effect.sync(() => measureRound(texts, round)), WARM_UPS)
  return {
    microsPerTransaction: (medianOf(rounds, ({ whole }) => whole) * 1_000) / transactions,
    ratio: medianOf(rounds, ({ parse, whole }) => whole / parse)
  }
})

const benchmark: Benchmark = {
  description: "parse, normalise, detect and check, against JSON.parse alone on the same bytes",
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
