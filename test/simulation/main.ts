/**
 * `npm run simulate -- --seeds N [--from S]` runs N seeds, `--seed S [--trace]` one of them, and `--mutants` wrong
 * variants of the program: see README.md. Each seed that fails comes with the command that replays it. `--stop` ends
 * with the first one.
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import type { TestProject } from "vitest/node"
import setUp, { type ServerAddress } from "../support/globalSetup.ts"
import { newDatabase } from "./databases.ts"
import { runMutants } from "./mutants.ts"
import { simulate } from "./simulate.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    stop: { type: "boolean", default: false },
    mutants: { type: "boolean", default: false }
  }
})

const first = Number(values.seed ?? values.from)
const count = values.seed === undefined ? Number(values.seeds) : 1
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1)
  throw new Error("--seeds, --from and --seed are whole numbers, and --seeds is at least 1.")

const print = (line: string) => process.stdout.write(`${line}\n`)

if (values.mutants) process.exit(runMutants(count, print) === 0 ? 0 : 1)

let address: ServerAddress | undefined
// The setup of the tests needs only this of a project.
const project = {
  provide: (_: string, made: ServerAddress) => {
    address = made
  }
} as unknown as TestProject
const tearDown = await setUp(project)
const beganMs = performance.now()
let failed = 0
for (let seed = first; seed < first + count; seed++) {
  const problems = await Effect.runPromise(
    newDatabase(address!).pipe(
      Effect.flatMap((connection) => simulate(seed, connection, values.trace ? print : undefined)),
      Effect.catchDefect((defect) => Effect.succeed([{ check: "settles", what: String(defect) }])),
      Effect.scoped
    )
  )
  if (problems.length > 0) {
    failed++
    for (const { check, what } of problems.slice(0, 20)) print(`seed ${seed} ${check}: ${what}`)
    print(`  replay it with: npm run simulate -- --seed ${seed} --trace`)
    if (values.stop) break
  }
  if ((seed - first) % 10 === 9) print(`${seed - first + 1} of ${count} seeds, ${failed} failed`)
}
const seconds = (performance.now() - beganMs) / 1_000
print(`${count} seeds in ${seconds.toFixed(1)} s, ${failed} failed`)
await tearDown()
process.exit(failed === 0 ? 0 : 1)
