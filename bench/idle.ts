/**
 * Measures the CPU time of an idle process that is connected to Kafka and PostgreSQL, as a share of one core: with all
 * roles, with `api` only and with `deliver` only. One process runs at a time. It needs a Kafka broker, and Linux for
 * /proc.
 */
import { Effect } from "effect"
import { missing } from "../test/kafka/broker.ts"
import { startProcess } from "../test/support/program/serviceProcess.ts"
import type { Benchmark } from "./support/Benchmark.ts"
import { cpuSecondsOf } from "./support/cpu.ts"
import { brokers, databaseUrl } from "./support/kafka.ts"

/** A new process is busy for some seconds: it joins its groups, and V8 compiles. Measuring begins after this time. */
const SETTLE_MS = 30_000
const MEASURE_MS = 60_000
/** How much of a core an idle process may use, in per cent. */
const PROMISED = 1

const rolesOf = { all: "all", api: "api", deliver: "deliver" }

const benchmark: Benchmark = {
  description: "CPU of a process that is connected to Kafka and PostgreSQL and has nothing to do",
  target: "at most 1 % of a core",
  wholeProgram: true,
  run: Effect.fnUntraced(function* (report, program) {
    const lacking = missing()
    if (lacking !== undefined) return yield* Effect.logWarning(`idle is left out: there is no ${lacking}`)
    const environment = {
      DATABASE_URL: yield* databaseUrl,
      KAFKA_BROKERS: yield* brokers,
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      XRPL_MAINNET_URLS: "",
      LOG_LEVEL: "info"
    }
    for (const [name, roles] of Object.entries(rolesOf)) {
      const percent = yield* Effect.gen(function* () {
        const { pid } = yield* startProcess({ ...environment, ROLES: roles }, /starting/, program)
        yield* Effect.sleep(SETTLE_MS)
        const before = cpuSecondsOf(pid)
        yield* Effect.sleep(MEASURE_MS)
        return ((cpuSecondsOf(pid) - before) * 1_000 * 100) / MEASURE_MS
      }).pipe(Effect.scoped)
      report({
        name: `idle.${name}`,
        value: percent,
        unit: "% of a core",
        ratio: percent / PROMISED,
        target: 1,
        better: "lower"
      })
    }
  })
}

export default benchmark
