/**
 * Runs benchmarks, each in its own process: `npm run bench -- [NAME…] [--list] [--json] [--profile FOLDER]`. Without a
 * name it runs all. `--against COMMIT [--pairs N]` compares this tree with another commit (support/against.ts), and
 * `--program FILE` gives the command that benchmarks of the whole program start. It prints a table on a terminal, and
 * JSON lines with --json or into a pipe. A missed target is shown but does not fail, because figures of a busy machine
 * prove nothing.
 */
import { fork } from "node:child_process"
import { globSync } from "node:fs"
import { availableParallelism, totalmem } from "node:os"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { compare } from "./support/against.ts"
import type { Benchmark, Figure } from "./support/Benchmark.ts"
import { comparisonHeader, comparisonRow, header, row } from "./support/table.ts"

const FAILED = 1
const WRONG_USAGE = 2

const names = globSync("*.ts", { cwd: import.meta.dirname })
  .map((file) => file.slice(0, -".ts".length))
  .filter((name) => name !== "run")
  .sort()

const print = (line: string) => void process.stdout.write(`${line}\n`)
const printError = (line: string) => void process.stderr.write(`${line}\n`)

const benchmarkOf = async (name: string): Promise<Benchmark> => {
  // Every other file of this folder exports a benchmark by default.
  const { default: benchmark } = (await import(`./${name}.ts`)) as { readonly default: Benchmark }
  return benchmark
}

const list = async (write: (line: string) => void) => {
  const width = Math.max(...names.map((name) => name.length))
  for (const name of names) {
    const { description, target } = await benchmarkOf(name)
    write(`${name.padEnd(width)}  ${description}; ${target}`)
  }
}

const json = ({ name, value, unit, ratio, target, better }: Figure): string =>
  JSON.stringify({ name, value, unit, ratio, target, better })

const wrongUsage = async (message: string): Promise<never> => {
  printError(`bench: ${message}`)
  await list(printError)
  process.exit(WRONG_USAGE)
}

const pairsOf = (text: string): number => {
  const pairs = Number(text)
  if (Number.isInteger(pairs) && pairs >= 1) return pairs
  printError(`bench: --pairs is a whole number from 1 on, not ${text}`)
  process.exit(WRONG_USAGE)
}

const invocation = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        list: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        profile: { type: "string" },
        program: { type: "string", default: resolve(import.meta.dirname, "../bin/ledgerhook.js") },
        against: { type: "string" },
        pairs: { type: "string", default: "5" }
      }
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns the child's exit code. */
const runOne = (
  name: string,
  { profile, program }: { readonly profile?: string; readonly program: string },
  write: (figure: Figure) => void
) =>
  new Promise<number>((ended) => {
    const child = fork(`${import.meta.dirname}/support/benchmarkProgram.ts`, [name, program], {
      execArgv: profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`],
      stdio: ["ignore", 2, 2, "ipc"]
    })
    // Sent by support/benchmarkProgram.ts; null after the last.
    child.on("message", (figure: Figure | null) => {
      if (figure !== null) write(figure)
    })
    const stop = (signal: NodeJS.Signals) => void child.kill(signal)
    process.on("SIGTERM", stop)
    // A terminal sends SIGINT to the child as well. This process waits until the child has stopped what it started.
    const wait = () => undefined
    process.on("SIGINT", wait)
    child.on("exit", (code) => {
      process.off("SIGTERM", stop).off("SIGINT", wait)
      ended(code ?? FAILED)
    })
  })

const given = invocation()
if (typeof given === "string") await wrongUsage(given)
else {
  const { values, positionals } = given
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined) await wrongUsage(`there is no benchmark ${unknown}; there are:`)
  if (values.list) await list(print)
  else {
    const asJson = values.json || !process.stdout.isTTY
    if (!asJson) {
      const gibibytes = Math.round(totalmem() / 2 ** 30)
      print(`Node ${process.version}, ${availableParallelism()} cores, ${gibibytes} GiB`)
      print(values.against === undefined ? header : comparisonHeader)
    }
    const chosen = positionals.length > 0 ? positionals : names
    if (values.against !== undefined) {
      const whole = new Set<string>()
      for (const name of chosen) if ((await benchmarkOf(name)).wholeProgram) whole.add(name)
      for (const one of compare(values.against, chosen, whole, pairsOf(values.pairs)))
        print(asJson ? JSON.stringify(one) : comparisonRow(one))
    } else {
      for (const name of chosen) {
        const code = await runOne(name, values, (figure) => print(asJson ? json(figure) : row(figure)))
        if (code === 0) continue
        printError(`bench: ${name} ended with ${code}`)
        process.exitCode = FAILED
      }
    }
  }
}
