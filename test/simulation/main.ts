/**
 * `npm run simulate`: runs seeds of the whole chain, or wrong variants of the program. See README.md. Each seed that
 * fails comes with the command that replays it.
 */
import { Effect } from "effect"
import type { TestProject } from "vitest/node"
import { toolOptions } from "../support/program/toolOptions.ts"
import setUp, { type ServerAddress } from "../support/setup/globalSetup.ts"
import { runMutants } from "./runMutants.ts"
import { simulate } from "./simulate.ts"
import { AT_ONCE, type Databases, makeDatabases } from "./world/databases.ts"

const usage = `Usage: npm run simulate -- [--failover] [--seeds N] [--from S] [--stop] | [--failover] --seed S [--trace] |
       npm run simulate -- --mutants [--seeds N]

Runs the whole chain on a virtual clock with faults chosen by a seed, and checks what is left.

  --seeds N   how many seeds (default 20); with --mutants, how many for each wrong variant
  --from S    the first seed (default 1)
  --stop      end with the first seed that fails
  --seed S    one seed
  --failover  one process with the embedded log, whose database fails over and may lose its newest transactions
  --trace     what happened in the run, and when
  --mutants   wrong variants of the program: which check catches each, at which seed
`

const { given, wholeNumber } = toolOptions("simulate", usage, {
  seeds: { type: "string", default: "20" },
  from: { type: "string", default: "1" },
  seed: { type: "string" },
  failover: { type: "boolean", default: false },
  trace: { type: "boolean", default: false },
  stop: { type: "boolean", default: false },
  mutants: { type: "boolean", default: false }
})
const first =
  given.seed === undefined ? wholeNumber("from", given.from, 0) : wholeNumber("seed", given.seed, 0)
const count = given.seed === undefined ? wholeNumber("seeds", given.seeds, 1) : 1

const print = (line: string) => process.stdout.write(`${line}\n`)

if (given.mutants) process.exit(runMutants(count, print) === 0 ? 0 : 1)

let address: ServerAddress | undefined
// The setup of the tests needs only this of a project.
const project = {
  provide: (_: string, made: ServerAddress) => {
    address = made
  }
} as unknown as TestProject
const tearDown = await setUp(project)
const beganMs = performance.now()
let done = 0
let failed = 0

const run = (databases: Databases, seed: number) =>
  Effect.gen(function* () {
    if (given.stop && failed > 0) return
    const problems = yield* databases.pipe(
      Effect.flatMap((connection) =>
        simulate(seed, connection, { failsOver: given.failover, tell: given.trace ? print : undefined })
      ),
      Effect.scoped,
      Effect.catchDefect((defect) => Effect.succeed([{ check: "settles", what: String(defect) }]))
    )
    if (problems.length > 0) {
      failed++
      for (const { check, what } of problems.slice(0, 20)) print(`seed ${seed} ${check}: ${what}`)
      print(
        `  replay it with: npm run simulate -- ${given.failover ? "--failover " : ""}--seed ${seed} --trace`
      )
    }
    if (++done % 50 === 0) print(`${done} of ${count} seeds, ${failed} failed`)
  })

await Effect.runPromise(
  Effect.gen(function* () {
    const databases = yield* makeDatabases(address!, AT_ONCE)
    const seeds = Array.from({ length: count }, (_, i) => first + i)
    yield* Effect.forEach(seeds, (seed) => run(databases, seed), { concurrency: AT_ONCE, discard: true })
  }).pipe(Effect.scoped)
)
const seconds = (performance.now() - beganMs) / 1_000
print(`${done} seeds in ${seconds.toFixed(1)} s, ${failed} failed`)
await tearDown()
process.exit(failed === 0 ? 0 : 1)
