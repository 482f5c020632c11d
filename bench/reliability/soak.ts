/**
 * `npm run soak -- --minutes N`: a steady load with receivers of all kinds, and a fault after every recovery. Samples
 * memory, descriptors and sizes every 10 s, and says of each whether it grows. Writes the plot, prints the table, and
 * ends with 1 if a promise was broken.
 */
import { writeFileSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Effect, Logger } from "effect"
import { makeSeededRandom } from "../../src/features/simulator/SeededRandom.ts"
import { FAILED, toolOptions } from "../../test/support/program/toolOptions.ts"
import { recovered, recovery } from "./support/Campaign.ts"
import { type Store, startCluster } from "./support/Cluster.ts"
import { type Fault, faults } from "./support/Faults.ts"
import { svgOf } from "./support/LinePlot.ts"
import { sample } from "./support/Sampling.ts"
import type { Sample } from "./support/Slope.ts"
import { chartsOf, lines } from "./support/SoakReport.ts"
import { verdictOf } from "./support/Verdict.ts"

const SAMPLE_MS = 10_000
/** The faults that last seconds, not minutes. */
const struck = ["kill", "broker-kill", "broker-stop", "database-immediate", "database-fast", "cut", "delay"]
const PAUSE_MS = 10_000
const LEDGER_EVERY_MS = 2_000
const TRANSACTIONS_PER_LEDGER = 4

const usage = `Usage: npm run soak -- --minutes N [--seed S] [--embedded] [--plot FILE] [--json]

Runs four processes on Kafka and PostgreSQL (--embedded: one process on the embedded store) under a steady load, with
a fault after every recovery. With Kafka, kills hit the fourth process only, so the memory of the others is that of
the whole run. Faults: ${struck.join(", ")}.

  --minutes N   how long (default 30)
  --seed S      a number; decides faults, victims, moments and lengths (default 1)
  --plot FILE   where the plot goes (default: none)
  --json        the samples' slopes as JSON
`

const { given, wholeNumber } = toolOptions("soak", usage, {
  minutes: { type: "string", default: "30" },
  seed: { type: "string", default: "1" },
  embedded: { type: "boolean", default: false },
  plot: { type: "string" },
  json: { type: "boolean", default: false }
})
const minutes = wholeNumber("minutes", given.minutes, 1)
const seed = wholeNumber("seed", given.seed, 0)
const store: Store = given.embedded ? "embedded" : "kafka"
const printError = (line: string) => void process.stderr.write(`${line}\n`)

const soak = Effect.gen(function* () {
  const random = makeSeededRandom(seed)
  const cluster = yield* startCluster({
    store,
    seed,
    random,
    clockLibrary: undefined,
    everyMs: LEDGER_EVERY_MS,
    transactionsPerLedger: TRANSACTIONS_PER_LEDGER,
    spareMembers: true
  })
  const beganMs = yield* Clock.currentTimeMillis
  const minute = Effect.map(Clock.currentTimeMillis, (nowMs) => (nowMs - beganMs) / 60_000)
  const series = new Map<string, Array<Sample>>()
  cluster.load.flowing = true
  const sampling = Effect.gen(function* () {
    const at = yield* minute
    for (const [name, value] of yield* sample(cluster)) {
      const samples = series.get(name) ?? []
      samples.push({ minute: at, value })
      series.set(name, samples)
    }
    yield* Effect.sleep(SAMPLE_MS)
  })
  yield* Effect.forkScoped(Effect.forever(sampling))
  // The only process of the embedded store is the one that is measured.
  const names = struck.filter(
    (name) => faults[name]?.on.includes(store) && (store === "kafka" || name !== "kill")
  )
  let count = 0
  let unrecovered = 0
  while ((yield* minute) < minutes) {
    yield* Effect.sleep(random.int(0, PAUSE_MS))
    const name = random.pick(names)
    // A key of the table.
    const { what } = yield* (faults[name] as Fault).strike(cluster)
    const took = yield* recovery(cluster)
    count++
    if (took.seconds === null) unrecovered++
    printError(`minute ${(yield* minute).toFixed(1)}, ${name}: ${what}, ${recovered(took)}`)
  }
  const totals = yield* verdictOf(cluster)
  const summary = {
    store,
    minutes,
    seed,
    faults: count,
    unrecovered,
    deliveries: totals.deliveries,
    lost: totals.lost.length,
    failedWrongly: totals.failedWrongly.length,
    outOfOrder: totals.outOfOrder,
    duplicates: totals.duplicates
  }
  for (const sentence of [...totals.lost, ...totals.failedWrongly].slice(0, 10)) printError(`  ${sentence}`)
  for (const line of lines(summary, series, given.json || !process.stdout.isTTY)) {
    process.stdout.write(`${line}\n`)
  }
  if (given.plot !== undefined) writeFileSync(given.plot, svgOf(chartsOf(series)))
  if (summary.lost + summary.failedWrongly + summary.outOfOrder + unrecovered > 0) process.exitCode = FAILED
}).pipe(Effect.scoped)

// The launcher of the embedded database logs each of its ends, which are wanted here.
soak.pipe(Effect.provide(Logger.layer([])), NodeRuntime.runMain)
