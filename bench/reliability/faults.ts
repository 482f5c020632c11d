/**
 * `npm run faults`: strikes a running service with real faults, and says what it lost, repeated and logged. The table
 * goes to standard output (JSON lines with --json or into a pipe), progress to standard error. Ends with 1 if a
 * promise was broken.
 */
import { existsSync } from "node:fs"
import { availableParallelism, totalmem } from "node:os"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Logger } from "effect"
import { missing } from "../../test/kafka/broker.ts"
import { FAILED, toolOptions } from "../../test/support/program/toolOptions.ts"
import { postgresPrograms } from "../../test/support/store/systemPostgres.ts"
import { everyFault, runCampaign } from "./support/Campaign.ts"
import type { Store } from "./support/Cluster.ts"
import { failovers } from "./support/Failovers.ts"
import { faults } from "./support/Faults.ts"
import { header, isBroken, row } from "./support/Report.ts"

/** Where Debian's package libfaketime puts it. */
const CLOCK_LIBRARY = `/usr/lib/${process.arch === "x64" ? "x86_64" : "aarch64"}-linux-gnu/faketime/libfaketimeMT.so.1`

const width = Math.max(...Object.keys(everyFault).map((name) => name.length))
const usage = `Usage: npm run faults -- [--rounds N] [--seed S] [--only FAULT,…] [--kafka | --embedded] [--failover] [--json]

Starts a service under load (a local ledger server, receivers of all kinds), strikes it with faults, and compares what
it delivered with what the ledgers caused. Without --kafka or --embedded it does so on both: six processes on Kafka
and PostgreSQL, each with exactly the rights that its roles need, and one process on the embedded store. Run it as root: only root may fill a small disk of its own.

  --rounds N      how often each fault strikes (default 3)
  --seed S        a number; decides victims, moments and lengths (default 1)
  --only FAULT,…  these faults only, in this order
  --failover      on a PostgreSQL of two servers with streaming replication, whose addresses change: the faults after
                  which the log or the database has gone back. Without Kafka the log is in that PostgreSQL

Faults:
${Object.entries(everyFault)
  .map(
    ([name, { meaning, on }]) =>
      `  ${name.padEnd(width)}  ${meaning}${on.length === 1 ? ` (${on[0]} only)` : ""}`
  )
  .join("\n")}
`

const print = (line: string) => void process.stdout.write(`${line}\n`)
const printError = (line: string) => void process.stderr.write(`${line}\n`)

const { given, refuse, wholeNumber } = toolOptions("faults", usage, {
  rounds: { type: "string", default: "3" },
  seed: { type: "string", default: "1" },
  only: { type: "string" },
  kafka: { type: "boolean", default: false },
  embedded: { type: "boolean", default: false },
  failover: { type: "boolean", default: false },
  json: { type: "boolean", default: false }
})
const known = given.failover ? failovers : faults
const names = given.only === undefined ? Object.keys(known) : given.only.split(",")
const unknown = names.find((name) => known[name] === undefined)
if (unknown !== undefined) refuse(`--only: there is no fault ${unknown}.`)
const rounds = wholeNumber("rounds", given.rounds, 1)
const seed = wholeNumber("seed", given.seed, 0)
const both = given.kafka === given.embedded
const stores: ReadonlyArray<Store> = [
  ...(both || given.embedded ? (["embedded"] as const) : []),
  ...(both || given.kafka ? (["kafka"] as const) : [])
]
const asJson = given.json || !process.stdout.isTTY
if (given.failover && postgresPrograms === undefined) refuse("--failover needs Debian's package postgresql.")
const lacking = stores.includes("kafka") ? missing() : undefined
if (lacking !== undefined) refuse(`Kafka needs ${lacking}; install it, or give --embedded.`)

const campaigns = Effect.gen(function* () {
  if (!asJson) {
    const gibibytes = Math.round(totalmem() / 2 ** 30)
    print(`Node ${process.version}, ${availableParallelism()} cores, ${gibibytes} GiB, seed ${seed}\n`)
    for (const line of header) print(line)
  }
  for (const store of stores) {
    const wanted = names.filter((name) => known[name]?.on.includes(store))
    if (wanted.length === 0) continue
    yield* runCampaign(
      {
        store,
        seed,
        rounds,
        failover: given.failover,
        faults: wanted,
        clockLibrary: existsSync(CLOCK_LIBRARY) ? CLOCK_LIBRARY : undefined,
        progress: printError
      },
      (result) => {
        print(asJson ? JSON.stringify(result) : row(result))
        for (const sentence of [...result.lost, ...result.failedWrongly].slice(0, 10))
          printError(`  ${sentence}`)
        if (isBroken(result)) process.exitCode = FAILED
      }
    ).pipe(Effect.scoped)
  }
  return process.exitCode
})

// The launcher of the embedded database logs each of its ends, which are wanted here.
campaigns.pipe(Effect.provide(Logger.layer([])), NodeRuntime.runMain)
